package datasets

import (
	"strconv"
	"strings"
)

// multiReaders says which grammar reads the logs of a repository of Multi-SWE-bench, whose harness has a program for each: the
// repositories of the full, mini and flash sets, and those of the RL set that images are published of. Left out are mruby's and older zstd's logs, which
// name no tests, and all that the RL set has more.
var multiReaders = map[string]string{
	"multi_gotest":      "grpc/grpc-go etcd-io/etcd zeromicro/go-zero go-gorm/gorm gin-gonic/gin",
	"multi_gotest_each": "cli/cli caddyserver/caddy prometheus/prometheus fatedier/frp nektos/act gohugoio/hugo beego/beego labstack/echo istio/istio jesseduffield/lazygit junegunn/fzf syncthing/syncthing",
	"multi_cargo": "nushell/nushell rusqlite/rusqlite rust-lang/mdbook clap-rs/clap tokio-rs/tracing tokio-rs/tokio tokio-rs/bytes helix-editor/helix fish-shell/fish-shell " +
		"burntsushi/ripgrep alacritty/alacritty rayon-rs/rayon sharkdp/bat sharkdp/fd serde-rs/serde",
	"multi_maven":      "apache/dubbo fasterxml/jackson-dataformat-xml fasterxml/jackson-core fasterxml/jackson-databind alibaba/fastjson2",
	"multi_gson":       "google/gson",
	"multi_checkstyle": "checkstyle/checkstyle",
	"multi_gradle":     "mockito/mockito elastic/logstash spotbugs/spotbugs junit-team/junit5",
	"multi_jib":        "googlecontainertools/jib",
	"multi_ctest":      "nlohmann/json fmtlib/fmt simdjson/simdjson openmathlib/openblas libgit2/libgit2 fluent/fluent-bit libsdl-org/sdl cgal/cgal root-project/root halide/halide",
	"multi_catch2":     "catchorg/catch2",
	"multi_googletest": "ponylang/ponyc yhirose/cpp-httplib",
	"multi_automake":   "jqlang/jq",
	"multi_redis":      "redis/redis valkey-io/valkey",
	"multi_php":        "php/php-src",
	"multi_bitcoin":    "bitcoin/bitcoin",

	"multi_jest":             "anuraghazra/github-readme-stats iamkun/dayjs",
	"multi_darkreader":       "darkreader/darkreader",
	"multi_jest_files":       "remix-run/react-router colinhacks/zod",
	"multi_redux":            "reduxjs/redux",
	"multi_commander":        "tj/commander.js",
	"multi_insomnia":         "kong/insomnia",
	"multi_mocha":            "axios/axios",
	"multi_mocha_json_files": "mui/material-ui",
	"multi_mongoose":         "automattic/mongoose",
	"multi_vitest":           "vuejs/core sveltejs/svelte",
	"multi_nuxt":             "nuxt/nuxt",
	"multi_trpc":             "trpc/trpc",
	"multi_zx":               "google/zx",

	"parse_log_pytest@v4":      "pytest-dev/pytest pydata/xarray pallets/flask",
	"parse_log_pytest_v2@v4":   "astropy/astropy sphinx-doc/sphinx scikit-learn/scikit-learn",
	"parse_log_pytest_options": "pylint-dev/pylint psf/requests",
	"parse_log_django":         "django/django",
	"parse_log_matplotlib":     "matplotlib/matplotlib",
	"parse_log_seaborn":        "mwaskom/seaborn",
	"parse_log_sympy":          "sympy/sympy",
}

// multiReader is multiReaders by repository.
var multiReader = func() map[string]string {
	of := map[string]string{}
	for grammar, repositories := range multiReaders {
		for _, repo := range strings.Fields(repositories) {
			of[repo] = grammar
		}
	}
	return of
}()

// multiGrammar is the grammar of a task's logs, "" where evlab has none: a part of a repository's history may have a program of its
// own, which the row's interval or tag names. Three repositories change theirs with the number of the pull request.
func multiGrammar(repo, number, interval, tag string) string {
	n, err := strconv.Atoi(number)
	if interval != "" || tag != "" || err != nil {
		return ""
	}
	switch repo = strings.ToLower(repo); {
	case repo == "expressjs/express" && (n == 4212 || n == 4852 || n == 5555 || n == 5841):
		return "multi_mocha"
	case repo == "expressjs/express":
		return "multi_mocha_json"
	case repo == "facebook/zstd" && (n < 1230 || n > 1748 && n < 1831 || n > 2703): // else a line at the end stands for all tests
		return "multi_automake"
	case repo == "caolan/async" && n > 1142: // before that, two runners in one log
		return "multi_async"
	}
	return multiReader[repo]
}
