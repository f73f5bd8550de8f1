package sandbox
import ("testing";"context";"os";"bytes";"github.com/docker/docker/api/types/container"; "encoding/binary")
func TestDbg(t *testing.T){ b:=open(t,"docker"); s:=b.step(t,"bytes","d","0")
 s.Files.Files = append(s.Files.Files, struct{Path, Mode string; Content []byte}{"d","100644",bytes.Repeat([]byte("x"),40000)})
 r,err:=b.Run(context.Background(),s); t.Log(r,err)
 d:=b.Sandbox.(*docker)
 l,err:=d.api.ContainerLogs(context.Background(), s.name(), container.LogsOptions{ShowStdout:true,ShowStderr:true}); 
 var buf bytes.Buffer; buf.ReadFrom(l); data:=buf.Bytes()
 for len(data)>=8 { n:=int(binary.BigEndian.Uint32(data[4:8])); p:=data[8:8+n]; t.Logf("stream %d len %d first %.60q last %.120q", data[0], n, p, p[max(0,n-90):]); data=data[8+n:] }
 os.Stdout.Sync()
}
