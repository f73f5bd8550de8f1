package scores_test

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// paper is testdata/paper.json: the figures of the paper's tables that the tests here derive or hold against each other.
type paper struct {
	Table1  measured
	Table14 struct {
		No  stratum14 `json:"no_overlap"`
		Yes stratum14 `json:"overlap"`
	}
	Table15 struct {
		No  []float64 `json:"no_overlap"`
		Yes []float64 `json:"overlap"`
	}
	Table2 struct {
		Tasks, Slots int
		Rows         []struct {
			Condition   string
			Complete    float64
			GroupRecall float64   `json:"group_recall"`
			Precision   []float64 // DeepSeek, Claude
		}
		Fresh23 []freshRow
	}
	Table3 struct {
		Questions, Episodes int
		PerEpisode          int `json:"per_episode"`
		Win, Tie, Loss      int
		Diff                float64
		SmallerPrompt       float64 `json:"smaller_prompt"`
		Rows                []struct {
			Method                             string
			Accuracy                           float64
			Correct                            int
			Prompt, Answer, Controller, Online float64 // thousands of tokens
		}
	}
	Table4 []struct {
		Method   string
		Complete float64 `json:"complete@5"`
		Returned float64
		Group    float64 `json:"group@5"`
		Context  float64
	}
	Table6 struct {
		ByGroups      map[string]int `json:"by_groups"`
		ByBoundary    map[string]int `json:"by_boundary"`
		MeanGroups    float64        `json:"mean_groups"`
		SeveralGroups int            `json:"several_groups"`
		ThreeOrMore   int            `json:"three_or_more"`
		Oracle        float64        `json:"oracle@5"`
	}
	Table11 struct {
		K    []int
		Rows map[string][]float64
	}
	Table12 struct {
		Rows []struct {
			Condition         string
			Cap               float64   // of tokens; 0 where none is set for all states
			Complete, Context []float64 // MSS-Complement, Qwen
		}
		Qwen16 float64 `json:"qwen_16_items"` // mean tokens, from the text
	}
	Table16 struct {
		Strata []struct {
			Groups   string
			States   int
			At5, At8 []float64 // Qwen, MSS-Complement, difference
		}
		All     struct{ At5, At8 []float64 }
		Several struct {
			States   int
			At5, At8 float64
		}
	}
	Table17 struct {
		All, Coverable   int
		CoverablePercent float64 `json:"coverable_percent"`
		DiffAll          float64 `json:"diff_all"`
		DiffCoverable    float64 `json:"diff_coverable"`
		Rows             map[string]struct {
			Complete, Group   []float64
			CoverableComplete []float64 `json:"coverable_complete"`
			CoverableGroup    []float64 `json:"coverable_group"`
		}
	}
	Table19 struct {
		States, Calls int
		Rows          []struct {
			Method          string
			Complete, Group float64
			Count           int
		}
	}
	Table20 struct {
		Tasks, Eligible int
		Rows            []struct {
			Executor, Condition string
			Complete, Success   int
			Recall              float64
		}
		FullCoverage map[string][]float64 `json:"full_coverage"`
	}
	Table21 []struct {
		Executor, Condition           string
		Precise, Coarse, Wrong, Other int
		Raw                           float64 `json:"raw_precision"`
		Fixed                         float64 `json:"fixed_budget_precision"`
	}
	Table22 []pairRow
	Table23 []pairRow
	Table24 []struct {
		freshRow
		PassToPass int `json:"pass_to_pass"`
		Hits       int `json:"target_file_hit"`
		Calls      float64
	}
	Text struct {
		GroupGain     float64 `json:"group_recall_gain@5"`
		NecessityGain float64 `json:"necessity_recall_gain@5"`
		Headroom      float64
		AdaptiveSizes []int `json:"adaptive_sizes"`
		Without12     struct {
			States int
			Diff   float64
		} `json:"without_12_states"`
		Pilot struct {
			States, Depth int
			State         float64 `json:"state_query"`
			Issue         float64 `json:"issue_query"`
		}
		PoolMean     float64   `json:"pool_mean"`
		RemovedCosts []float64 `json:"removed_group_costs"`
		Latency      struct{ MSS, AMA, Lower float64 }
	}
}

// measured is a table of methods by Complete@5, Complete@8, Group@5, Group@8 and Necessity@5.
type measured struct{ Rows map[string][]float64 }

type stratum14 struct {
	States int
	measured
}

type freshRow struct {
	Condition  string
	Strict     int
	FailToPass int `json:"fail_to_pass"`
	Tokens     int
}

type pairRow struct {
	Metric, Executor, A, B string
	Diff                   float64
	Win, Tie, Loss         int
}

func readPaper(t *testing.T) (p paper) {
	t.Helper()
	data, err := os.ReadFile("testdata/paper.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// half is half a unit of the last printed digit, with room for the decimal point's own representation.
const half = 0.005 + 1e-9

// printed asserts that a value rounds to what the paper prints with two decimals.
func printed(t *testing.T, what string, got, want float64) {
	t.Helper()
	if math.Abs(got-want) > half {
		t.Errorf("%s is %.4f, the paper prints %.2f", what, got, want)
	}
}

// countOf is the whole number of n states that a printed percentage stands for.
func countOf(t *testing.T, what string, percent float64, n int) int {
	t.Helper()
	count := math.Round(percent * float64(n) / 100)
	printed(t, what+" as a count of "+itoa(n), 100*count/float64(n), percent)
	return int(count)
}

func itoa(n int) string {
	text, _ := json.Marshal(n) // a number always encodes
	return string(text)
}
