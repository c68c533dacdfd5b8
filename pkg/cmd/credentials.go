package cmd

import (
	"io"
	"regexp"
	"strconv"
	"strings"
)

// What stands for a user and a password in a message.
const redacted = "xxxxx"

var (
	// userinfo is that of a URL, which ends with the last @ before the host's end.
	userinfo = regexp.MustCompile(`([a-zA-Z][a-zA-Z0-9+.-]*://)([^\s"'/]*)@`)
	// badProxy are client-go's words for a proxy's URL that is none: anything can
	// be in it, and the reason may repeat any part of it.
	badProxy = regexp.MustCompile(`(?s)invalid 'proxy-url' ("(?:[^"\\]|\\.)*") for cluster ("(?:[^"\\]|\\.)*"): .*`)
)

// withoutUserinfo takes the users and passwords out of the URLs in a message.
func withoutUserinfo(text string) string {
	text = badProxy.ReplaceAllStringFunc(text, func(message string) string {
		parts := badProxy.FindStringSubmatch(message)
		proxy, err := strconv.Unquote(parts[1])
		if err != nil || !strings.Contains(proxy, "@") {
			return message
		}
		scheme, _, found := strings.Cut(proxy, "://")
		if found {
			scheme += "://"
		} else {
			scheme = ""
		}
		host := proxy[strings.LastIndex(proxy, "@")+1:]
		return "invalid 'proxy-url' " + strconv.Quote(scheme+redacted+"@"+host) + " for cluster " + parts[2] + ": it is no URL of a proxy"
	})
	return userinfo.ReplaceAllStringFunc(text, func(found string) string {
		parts := userinfo.FindStringSubmatch(found)
		if _, password, _ := strings.Cut(parts[2], ":"); password == "***" || password == redacted {
			return found // as net/http and net/url have it, without the password
		}
		return parts[1] + redacted + "@"
	})
}

// redacting is a writer of whole lines that takes userinfo out of them.
type redacting struct{ to io.Writer }

func (r redacting) Write(p []byte) (int, error) {
	if _, err := io.WriteString(r.to, withoutUserinfo(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}
