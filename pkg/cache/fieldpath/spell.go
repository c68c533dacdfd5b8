package fieldpath

import "strings"

// Escape spells a key so that it is one field name of a JSONPath. A lone * would
// be a wildcard. client-go has no spelling for a key with a backslash in it.
func Escape(key string) string {
	if key == "*" {
		return `\*`
	}
	var b strings.Builder
	for i := range len(key) {
		if strings.IndexByte(" \t\r\n.,[]{}$@\\", key[i]) >= 0 {
			b.WriteByte('\\')
		}
		b.WriteByte(key[i])
	}
	return b.String()
}

// Spell is the path of member names, with a dot before each.
func Spell(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		b.WriteString("." + Escape(name))
	}
	return b.String()
}

// Bracketed returns where the bracket or brace that opens at i has been closed:
// after its closing one, or at the end of text. Quoted text in it closes nothing.
func Bracketed(text string, i int) int {
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

// escapeQuotedKeys spells quoted keys, ['a.b'] and ["a.b"], as escaped ones:
// client-go takes a dot in such a key for the end of a field name, and knows no
// double quotes. plain is how much of the result is member names and [*].
func escapeQuotedKeys(path string) (escaped string, plain int, err error) {
	var b strings.Builder
	plain = -1
	for i := 0; i < len(path); {
		end, operator := i+1, false
		switch {
		case path[i] == '\\':
			end = min(i+2, len(path))
			if path[i:end] == `\\` {
				return "", 0, errBackslash
			}
		case strings.HasPrefix(path[i:], "[*]"):
			end = i + len("[*]")
		case path[i] == '[':
			end = Bracketed(path, i)
			if key, ok := quotedKey(path[i:end]); ok {
				switch {
				case key == "":
					return "", 0, errNoName
				case strings.Contains(key, `\`):
					return "", 0, errBackslash
				}
				b.WriteString(Spell(key))
				i = end
				continue
			}
			operator = true
		case path[i] == '.':
			operator = strings.HasPrefix(path[i:], "..") || strings.HasPrefix(path[i:], ".*")
		}
		if operator && plain < 0 {
			plain = b.Len()
		}
		b.WriteString(path[i:end])
		i = end
	}
	if plain < 0 {
		plain = b.Len()
	}
	return b.String(), plain, nil
}

// quotedKey is the key in brackets and quotes, if nothing else is in them.
func quotedKey(bracketed string) (key string, ok bool) {
	inner, _ := strings.CutPrefix(bracketed, "[")
	inner, closed := strings.CutSuffix(inner, "]")
	if !closed || len(inner) < 2 || inner[0] != '\'' && inner[0] != '"' {
		return "", false
	}
	quote, inner := inner[0], inner[1:]
	var b strings.Builder
	for i := 0; i < len(inner); i++ {
		switch inner[i] {
		case quote:
			return b.String(), i == len(inner)-1
		case '\\':
			if i++; i == len(inner) {
				return "", false
			}
		}
		b.WriteByte(inner[i])
	}
	return "", false
}
