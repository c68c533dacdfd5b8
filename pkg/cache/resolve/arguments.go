package resolve

import (
	"slices"
	"strings"

	"k8s.io/cli-runtime/pkg/resource"
)

// arguments are the words of the resource arguments. Only warnings and hints
// are made of them: what the arguments mean is the builder's business.
type arguments struct {
	types, names []string
}

func parse(args []string) arguments {
	var words arguments
	for i, arg := range args {
		name := arg
		if before, after, slash := strings.Cut(arg, "/"); slash {
			words.types = append(words.types, before)
			name = after
		} else if i == 0 {
			words.types = append(words.types, resource.SplitResourceArgument(arg)...)
			continue
		}
		if !slices.Contains(words.names, name) {
			words.names = append(words.names, name)
		}
	}
	return words
}
