package client

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"

	"github.com/kubectl-informer/kubectl-informer/pkg/cache/decode"
)

const (
	jsonType     = "application/json"
	protobufType = "application/vnd.kubernetes.protobuf"
)

// codecs are apimachinery's serializers: for the events of a watch, and for whatever
// else a rest client may ask of a serializer.
type codecs struct {
	json        *json.Serializer
	protobuf    *protobuf.Serializer
	rawProtobuf *protobuf.RawSerializer
}

func newCodecs() codecs {
	scheme := runtime.NewScheme()
	metav1.AddToGroupVersion(scheme, schema.GroupVersion{Version: "v1"})
	utilruntime.Must(metav1.AddMetaToScheme(scheme))
	return codecs{
		json:        json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, json.SerializerOptions{}),
		protobuf:    protobuf.NewSerializer(scheme, scheme),
		rawProtobuf: protobuf.NewRawSerializer(scheme, scheme),
	}
}

// negotiated lets a rest client decode JSON, and protobuf where there is a
// reader for it, straight into rows.
func (c codecs) negotiated(e *encoding) runtime.NegotiatedSerializer {
	infos := negotiated{{
		MediaType: jsonType, MediaTypeType: "application", MediaTypeSubType: "json", EncodesAsText: true,
		Serializer: rowSerializer{Serializer: c.json, read: e.json},
		StreamSerializer: &runtime.StreamSerializerInfo{
			EncodesAsText: true, Serializer: decode.EventSerializer{Serializer: c.json},
			Framer: decode.JSONFramer{Framer: json.Framer, DropManagedFields: e.dropManagedFields},
		},
	}}
	if e.protobuf == nil {
		return infos
	}
	return append(infos, runtime.SerializerInfo{
		MediaType: protobufType, MediaTypeType: "application", MediaTypeSubType: "vnd.kubernetes.protobuf",
		Serializer: rowSerializer{Serializer: c.protobuf, read: e.protobuf},
		StreamSerializer: &runtime.StreamSerializerInfo{
			Serializer: c.rawProtobuf, Framer: protobuf.LengthDelimitedFramer,
		},
	})
}

// negotiated are the media types a client can read.
type negotiated []runtime.SerializerInfo

func (n negotiated) SupportedMediaTypes() []runtime.SerializerInfo { return n }

func (n negotiated) EncoderForVersion(e runtime.Encoder, _ runtime.GroupVersioner) runtime.Encoder {
	return e
}

func (n negotiated) DecoderToVersion(d runtime.Decoder, _ runtime.GroupVersioner) runtime.Decoder {
	return d
}

// rowSerializer decodes by its reader; the rest of a Serializer is the embedded one's.
type rowSerializer struct {
	runtime.Serializer
	read decode.Reader
}

// Decode reads data. The kind it returns is nil: rows hold their own.
func (s rowSerializer) Decode(data []byte, _ *schema.GroupVersionKind, _ runtime.Object) (runtime.Object, *schema.GroupVersionKind, error) {
	object, err := s.read(data)
	return object, nil, err
}
