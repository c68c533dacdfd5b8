package dump
import ("testing";"os";"bytes";"sigs.k8s.io/yaml";goyaml "go.yaml.in/yaml/v3";"fmt")
func BenchmarkY(b *testing.B){
 t,_:=os.ReadFile("/tmp/dumpwork/pods.yaml")
 b.SetBytes(int64(len(t)))
 for b.Loop(){ if _,err:=yaml.YAMLToJSON(t);err!=nil{b.Fatal(err)} }
}
func BenchmarkY3(b *testing.B){
 t,_:=os.ReadFile("/tmp/dumpwork/pods.yaml")
 b.SetBytes(int64(len(t)))
 for b.Loop(){ var n any; if err:=goyaml.NewDecoder(bytes.NewReader(t)).Decode(&n);err!=nil{b.Fatal(err)} }
}
func TestErr(t *testing.T){
 for _,s:=range []string{"a: b\nc: d: e\n","a:\n  b: 1\n c: 2\n","\n\n\na: 'x\n","a: b\n\tc: d\n","a: *x\n","a: {b\n","a: b\n  c: d\n\n","- a\nb: c\n","x: |\n  a\n b\n", "{{ .Values }}\n", "a: 1\na: 2\n", "a: !!binary x\n", "a: b\n...\nc: d\n", "a: .nan\n", "? [a]\n: b\n"} {
  j,err:=yaml.YAMLToJSON([]byte(s)); fmt.Printf("%q -> %s %v\n",s,j,err)
 }
}
