package index

import "strings"

// special are the characters that end a field name unless a backslash comes
// before them: those of client-go's JSONPath, and the backslash itself.
const special = " \t\r\n.,[]{}$@\\"

// String is the path in one spelling, which starts with a dot.
func (p *fieldPath) String() string {
	var b strings.Builder
	for _, s := range p.steps {
		if s.each {
			b.WriteString("[*]")
		} else {
			b.WriteString("." + escape(s.name))
		}
	}
	b.WriteString(strings.TrimSuffix(strings.TrimPrefix(p.rest, "{"), "}"))
	return b.String()
}

// escape spells a key so that it is one field name. A lone * would be a wildcard.
func escape(key string) string {
	if key == "*" {
		return `\*`
	}
	var b strings.Builder
	for i := range len(key) {
		if strings.IndexByte(special, key[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(key[i])
	}
	return b.String()
}

// dottedKey takes .key from the front of text. It takes neither .. nor .*
func dottedKey(text string) (key, after string, ok bool) {
	if text[0] != '.' || strings.HasPrefix(text, "..") {
		return "", text, false
	}
	var b strings.Builder
	i := 1
	for ; i < len(text) && (text[i] == '\\' || strings.IndexByte(special, text[i]) < 0); i++ {
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return b.String(), text[i:], text[1:i] != "*"
}

// quotedKey takes ['key'] or ["key"] from the front of text. client-go takes a
// dot in such a key for the end of a field name; here it is part of the key.
func quotedKey(text string) (key, after string, ok bool) {
	if len(text) < 2 || text[0] != '[' || text[1] != '\'' && text[1] != '"' {
		return "", text, false
	}
	quote := text[1]
	var b strings.Builder
	for i := 2; i < len(text); i++ {
		if text[i] == quote {
			after, ok = strings.CutPrefix(text[i+1:], "]")
			return b.String(), after, ok
		}
		if text[i] == '\\' && i+1 < len(text) {
			i++
		}
		b.WriteByte(text[i])
	}
	return "", text, false
}

// escapeQuotedKeys spells quoted keys as escaped ones, outside of filters.
func escapeQuotedKeys(path string) string {
	var b strings.Builder
	for i := 0; i < len(path); {
		end := i + 1
		switch key, after, ok := quotedKey(path[i:]); {
		case ok:
			b.WriteString("." + escape(key))
			i = len(path) - len(after)
			continue
		case path[i] == '[':
			end = bracketed(path, i)
		case path[i] == '\\':
			end = min(i+2, len(path))
		}
		b.WriteString(path[i:end])
		i = end
	}
	return b.String()
}

// bracketed returns where the bracket or brace that opens at i has been closed:
// after its closing one, or at the end of text. Quoted text in it closes nothing.
func bracketed(text string, i int) int {
	var quote byte
	depth := 0
	for ; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '\'' || c == '"':
			quote = c
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return len(text)
}
