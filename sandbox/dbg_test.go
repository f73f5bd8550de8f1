package sandbox
import "testing"
func TestDbg(t *testing.T){ b:=open(t,"host"); for i:=range 8 { s:=b.step(t,"seek","abcdefgh"); s.Attempt=i; s.Limits.Memory=1<<30; r:=b.run(t,s); t.Log(r.Outcome,r.Exit,r.Peak>>20, r.Ended.Sub(r.Started), r.stdout) } }
