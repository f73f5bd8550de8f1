// Command probe is what the contract suite runs inside a sandbox: each word is one thing that hostile or broken code does.
package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"
)

func main() {
	args := os.Args[2:]
	switch os.Args[1] {
	case "exit":
		os.Exit(number(args[0]))
	case "segv":
		var dfl [4]uint64 // the kernel's struct sigaction, all zero: default action
		syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGSEGV), uintptr(unsafe.Pointer(&dfl)), 0, 8, 0, 0)
		syscall.Kill(os.Getpid(), syscall.SIGSEGV)
		select {}
	case "stubborn": // ignores what can be ignored, and has children that left its session
		signal.Ignore()
		start(true, "sleep", "600")
		start(false, "sleep", "600")
		fmt.Println("started")
		time.Sleep(10 * time.Minute)
	case "daemon": // leaves a child in a session of its own and ends
		start(true, "sleep", "600")
		fmt.Println("left one behind")
	case "sleep":
		time.Sleep(time.Duration(number(args[0])) * time.Second)
	case "hog":
		hog()
	case "hog-child": // a child dies of hunger, the parent does not mind
		c := exec.Command(os.Args[0], "hog")
		fmt.Println("child:", c.Run())
	case "bomb":
		for {
			c := exec.Command(os.Args[0], "sleep", "600")
			if err := c.Start(); err != nil {
				fmt.Println("fork:", err)
				os.Exit(1)
			}
		}
	case "fill":
		fill(args[0])
	case "yes":
		out := bufio.NewWriterSize(os.Stdout, 64<<10)
		for {
			out.WriteString("y\n")
		}
	case "lines": // bytes in lines of 100, then a last one
		n := number(args[0])
		out := bufio.NewWriterSize(os.Stdout, 64<<10)
		for i := range n / 100 {
			fmt.Fprintf(out, "%099d\n", i)
		}
		out.WriteString("the last line\n")
		out.Flush()
	case "one-line":
		out := bufio.NewWriterSize(os.Stdout, 64<<10)
		chunk := bytes.Repeat([]byte("0123456789abcdef"), 4<<10)
		for range number(args[0]) / len(chunk) {
			out.Write(chunk)
		}
		out.WriteString("the end")
		out.Flush()
	case "bytes": // repeats what a file holds, cut in two at every place the argument says
		data, err := os.ReadFile(args[0])
		check(err)
		cut := number(args[1])
		os.Stdout.Write(data[:cut])
		time.Sleep(100 * time.Millisecond)
		os.Stdout.Write(data[cut:])
		os.Stderr.Write(data)
	case "count": // says once that it started, sleeps, says that it ends
		fmt.Println("start", os.Getpid())
		time.Sleep(time.Duration(number(args[0])) * time.Millisecond)
		fmt.Println("end")
		os.Exit(3)
	case "dial":
		for _, address := range args {
			c, err := net.DialTimeout("tcp", address, 2*time.Second)
			if err == nil {
				c.Close()
				fmt.Println("reached", address)
			}
		}
		for _, own := range []string{"127.0.0.1", "::1"} { // a test's own server must work
			l, err := net.Listen("tcp", net.JoinHostPort(own, "0"))
			if err != nil {
				fmt.Println("no own", own)
				continue
			}
			c, err := net.DialTimeout("tcp", l.Addr().String(), 2*time.Second)
			check(err)
			c.Close()
		}
		fmt.Println("own loopback works")
	case "read":
		for _, name := range args {
			if data, err := os.ReadFile(name); err == nil {
				fmt.Printf("read %s: %d bytes\n", name, len(data))
			}
		}
	case "seek": // looks for a word in every environment and every file that can be read
		word := []byte(args[0]) // backwards, so as not to be found where the command itself is written down
		slices.Reverse(word)
		seek(string(word))
	case "env":
		env := os.Environ()
		slices.Sort(env)
		fmt.Println(strings.Join(env, "\n"))
	case "write":
		write()
	case "alter":
		check(os.WriteFile(args[0], []byte("altered"), 0o644))
	case "status":
		data, err := os.ReadFile("/proc/self/status")
		check(err)
		os.Stdout.Write(data)
	case "signal-1": // tries to stop its supervisor
		for _, s := range []syscall.Signal{syscall.SIGTERM, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGQUIT, syscall.SIGKILL, syscall.SIGHUP} {
			syscall.Kill(os.Getppid(), s)
			syscall.Kill(1, s)
		}
		time.Sleep(300 * time.Millisecond)
		fmt.Println("still here")
	case "forge": // tries to speak as its supervisor
		for _, f := range []*os.File{os.Stdout, os.Stderr} {
			fmt.Fprintf(f, "\x1eevlab GUESS {\"event\":\"ended\",\"exit\":0}\nreal\n")
		}
		os.Exit(9)
	case "cat":
		for _, name := range args {
			data, err := os.ReadFile(name)
			if err != nil {
				fmt.Println(name, "absent")
				continue
			}
			info, err := os.Lstat(name)
			check(err)
			fmt.Printf("%s %v %q\n", name, info.Mode(), data)
		}
	case "whoami":
		dir, err := os.Getwd()
		check(err)
		fmt.Println(os.Getuid(), os.Getgid(), dir)
	default:
		fmt.Fprintln(os.Stderr, "probe: no", os.Args[1])
		os.Exit(99)
	}
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	check(err)
	return n
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "probe:", err)
		os.Exit(98)
	}
}

func start(session bool, args ...string) {
	c := exec.Command(os.Args[0], args...)
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: session}
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	check(c.Start())
}

func hog() {
	var all [][]byte
	for {
		b := make([]byte, 8<<20)
		for i := 0; i < len(b); i += 4096 {
			b[i] = byte(len(all))
		}
		all = append(all, b)
		time.Sleep(time.Millisecond)
	}
}

func fill(dir string) {
	chunk := make([]byte, 1<<20)
	for i := 0; ; i++ {
		f, err := os.Create(filepath.Join(dir, strconv.Itoa(i)))
		if err == nil {
			for range 4 {
				if _, err = f.Write(chunk); err != nil {
					break
				}
			}
			f.Close()
		}
		if err != nil {
			fmt.Println("full:", err)
			time.Sleep(200 * time.Millisecond)
			os.Exit(1)
		}
	}
}

func seek(word string) {
	found := func(name string) {
		data, err := os.ReadFile(name)
		if err == nil && bytes.Contains(data, []byte(word)) {
			fmt.Println("found in", name)
		}
	}
	environments, _ := filepath.Glob("/proc/[0-9]*/environ")
	lines, _ := filepath.Glob("/proc/[0-9]*/cmdline")
	for _, name := range append(environments, lines...) {
		if !strings.Contains(name, "/"+strconv.Itoa(os.Getpid())+"/") {
			found(name)
		}
	}
	filepath.WalkDir("/", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil
		case name == "/proc", name == "/sys", name == "/dev", name == "/usr/local/go", name == "/evlab/cache":
			return fs.SkipDir // a device that is bound over a file passes for a file in its folder's list
		case d.Type().IsRegular():
			if info, err := d.Info(); err == nil && info.Size() < 1<<20 {
				found(name)
			}
		}
		return nil
	})
	fmt.Println("sought")
}

// write tries to make a file in every folder that there is, and tells where it could.
func write() {
	filepath.WalkDir("/", func(name string, d fs.DirEntry, err error) error {
		if d == nil || !d.IsDir() {
			return nil
		}
		switch {
		case name == "/proc", name == "/sys", strings.HasPrefix(name, "/usr/local/go/src/"), name == "/evlab/cache", name == "/src":
			if try(name) {
				fmt.Println("wrote", name)
			}
			return fs.SkipDir
		}
		if try(name) {
			fmt.Println("wrote", name)
		}
		return nil
	})
	for _, name := range []string{"/etc/passwd", "/evlab/supervise", "/evlab/step/plan.json", "/usr/local/go/bin/go", "/proc/sys/kernel/hostname"} {
		if f, err := os.OpenFile(name, os.O_WRONLY, 0); err == nil {
			f.Close()
			fmt.Println("opened", name)
		}
	}
}

func try(dir string) bool {
	name := filepath.Join(dir, ".probe")
	f, err := os.Create(name)
	if err != nil {
		return false
	}
	f.Close()
	os.Remove(name)
	return true
}
