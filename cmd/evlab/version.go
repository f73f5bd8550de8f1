package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"evlab/experiments"
	"evlab/terminal"
)

// buildVersion is set by the linker for a release: -X main.buildVersion=v1.2.3.
var buildVersion string

// versionInfo is what this program is.
type versionInfo struct {
	Type      string `json:"type"` // version
	UI        string `json:"ui"`   // version of the JSON output
	Version   string `json:"version"`
	Revision  string `json:"revision,omitempty"` // of the source, with "+changes" when it was edited
	Procedure string `json:"procedure"`          // version of what a cell does
	Go        string `json:"go"`
	OS        string `json:"os"`
	Arch      string `json:"arch"`
}

func currentVersion() versionInfo {
	v := versionInfo{
		Type: "version", UI: terminal.UIVersion, Version: buildVersion, Procedure: experiments.ProcedureVersion,
		Go: runtime.Version(), OS: runtime.GOOS, Arch: runtime.GOARCH,
	}
	changed := ""
	if info, ok := debug.ReadBuildInfo(); ok {
		if v.Version == "" && info.Main.Version != "(devel)" {
			v.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				v.Revision = s.Value
			case s.Key == "vcs.modified" && s.Value == "true":
				changed = "+changes"
			}
		}
	}
	if v.Version == "" {
		v.Version = "development"
	}
	if v.Revision != "" {
		v.Revision += changed
	}
	return v
}

func newVersion(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  evlab version\n  evlab version --json",
		Args:    exactArgs(),
		RunE: func(cmd *cobra.Command, _ []string) error {
			v := currentVersion()
			if a.json {
				return a.printJSON(v)
			}
			revision := ""
			if v.Revision != "" {
				revision = " (" + v.Revision + ")"
			}
			fmt.Fprintf(a.stdout, "evlab %s%s, procedure %s, %s %s/%s\n", v.Version, revision, v.Procedure, v.Go, v.OS, v.Arch)
			return nil
		},
	}
}
