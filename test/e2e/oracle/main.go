// Command oracle is kubectl get for many questions: its own code, of the version in
// go.mod, in one process. kubectl needs several times longer to start than to answer.
//
// Each line of stdin is a question, kubectl's arguments as JSON. Each line of stdout
// is the answer, a harness.Result as JSON.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/kubectl/pkg/cmd/get"
	cmdutil "k8s.io/kubectl/pkg/cmd/util"

	"github.com/kubectl-informer/kubectl-informer/test/e2e/harness"
)

func main() {
	questions, answers := bufio.NewScanner(os.Stdin), json.NewEncoder(os.Stdout)
	for questions.Scan() {
		var args []string
		err := json.Unmarshal(questions.Bytes(), &args)
		if err == nil {
			err = answers.Encode(ask(args))
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

// end is what the end of kubectl's process is here: a panic with the exit code.
type end int

// ask answers a question as kubectl's main function does.
func ask(args []string) (answer harness.Result) {
	var stdout, stderr bytes.Buffer
	defer func() {
		switch code := recover().(type) {
		case nil:
		case end:
			answer.Code = int(code)
		default:
			panic(code)
		}
		answer.Stdout, answer.Stderr = stdout.String(), stderr.String()
	}()
	cmdutil.BehaviorOnFatal(func(message string, code int) {
		if message != "" {
			fmt.Fprintln(&stderr, strings.TrimSuffix(message, "\n"))
		}
		panic(end(code))
	})
	rest.SetDefaultWarningHandler(rest.NewWarningWriter(&stderr, rest.WarningWriterOptions{Deduplicate: true}))
	streams := genericiooptions.IOStreams{In: &bytes.Buffer{}, Out: &stdout, ErrOut: &stderr}
	connection := genericclioptions.NewConfigFlags(true).WithDiscoveryBurst(300).WithDiscoveryQPS(50)
	root := &cobra.Command{Use: "kubectl", SilenceErrors: true, SilenceUsage: true}
	connection.AddFlags(root.PersistentFlags())
	root.AddCommand(get.NewCmdGet("kubectl", cmdutil.NewFactory(cmdutil.NewMatchVersionFlags(connection)), streams))
	root.SetArgs(args)
	cmdutil.CheckErr(root.Execute())
	return answer
}
