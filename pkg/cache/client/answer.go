package client

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"sync"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache"
	"github.com/kubectl-informer/kubectl-informer/pkg/cache/decode"
)

// pageBuffers are what pages are read into, one after the other. The rest client reads
// each answer into new memory, twice its size: of a long list that is a third of all
// garbage.
type pageBuffers struct{ pool sync.Pool } // of *bytes.Buffer

// mostBuffered is how large a buffer may be that is kept for the next page.
const mostBuffered = 16 << 20

func (p *pageBuffers) get() *bytes.Buffer {
	if buffer, ok := p.pool.Get().(*bytes.Buffer); ok {
		buffer.Reset()
		return buffer
	}
	return &bytes.Buffer{}
}

func (p *pageBuffers) giveBack(buffer *bytes.Buffer) {
	if buffer.Cap() <= mostBuffered {
		p.pool.Put(buffer)
	}
}

// listed asks for a page of a list, as request.Do(ctx).Get() does, with its errors.
func (l *listerWatcher) listed(ctx context.Context, from *endpoint, request *rest.Request) (runtime.Object, error) {
	if klog.V(8).Enabled() { // client-go logs the bodies that it reads itself
		ctx, _ = withExchange(ctx, cache.ListRequest)
		return request.Do(ctx).Get()
	}
	if l.listTimeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, l.listTimeout)
		defer cancel()
	}
	ctx, x := withExchange(ctx, cache.ListRequest)
	body, err := request.Stream(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = body.Close() }()
	buffer := l.buffers.get()
	defer l.buffers.giveBack(buffer)
	if _, err := io.Copy(buffer, body); err != nil {
		return nil, fmt.Errorf("unexpected error when reading response body. Please retry. Original error: %w", err)
	}
	return from.read(x.contentType, buffer.Bytes())
}

// read reads what came in a content type. A Status that tells of a failure is an error.
func (e *encoding) read(contentType string, data []byte) (runtime.Object, error) {
	reader, err := e.reader(contentType)
	if err != nil {
		return nil, err
	}
	object, err := reader(data)
	if err != nil {
		return nil, err
	}
	if status, ok := object.(*metav1.Status); ok && status.Status != metav1.StatusSuccess {
		return nil, apierrors.FromObject(status)
	}
	return object, nil
}

// reader is for a content type; what comes without one is taken for JSON.
func (e *encoding) reader(contentType string) (decode.Reader, error) {
	if contentType == "" {
		return e.json, nil
	}
	mediaType, _, err := mime.ParseMediaType(contentType)
	switch {
	case err != nil:
		return nil, apierrors.NewInternalError(err)
	case mediaType == jsonType:
		return e.json, nil
	case mediaType == protobufType && e.protobuf != nil:
		return e.protobuf, nil
	default:
		return nil, fmt.Errorf("serializer for %s doesn't exist", contentType)
	}
}
