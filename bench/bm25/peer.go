package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/blevesearch/bleve/v2"
	"github.com/blevesearch/bleve/v2/analysis"
	"github.com/blevesearch/bleve/v2/index/scorch"
	"github.com/blevesearch/bleve/v2/mapping"
	"github.com/blevesearch/bleve/v2/registry"
	index "github.com/blevesearch/bleve_index_api"

	"evlab/evidence"
	"evlab/retrieval"
)

// k1 and b are the paper's parameters and, as it happens, bleve's defaults.
const (
	k1 = 1.2
	b  = 0.75
)

const (
	analyzerName = "evlab"
	textField    = "text"
	batchUnits   = 10_000
)

// evlabTokenizer gives bleve the terms that evlab's index has.
type evlabTokenizer struct{}

func (evlabTokenizer) Tokenize(input []byte) analysis.TokenStream {
	terms := retrieval.Terms(string(input))
	stream := make(analysis.TokenStream, len(terms))
	for i, t := range terms {
		stream[i] = &analysis.Token{Term: []byte(t), Position: i + 1, Type: analysis.AlphaNumeric}
	}
	return stream
}

// bleveIndex is a scorch index, bleve's current kind, held in memory.
type bleveIndex struct{ bleve.Index }

func buildBleve(ctx context.Context, units []evidence.Unit) (_ *bleveIndex, took time.Duration, err error) {
	construct := func(map[string]interface{}, *registry.Cache) (analysis.Analyzer, error) {
		return &analysis.DefaultAnalyzer{Tokenizer: evlabTokenizer{}}, nil
	}
	if err := registry.RegisterAnalyzer(analyzerName, construct); err != nil {
		return nil, 0, fmt.Errorf("registering the analyzer: %w", err)
	}
	text := bleve.NewTextFieldMapping()
	text.Analyzer = analyzerName
	text.Store, text.IncludeTermVectors, text.IncludeInAll, text.DocValues = false, false, false, false
	doc := mapping.NewDocumentStaticMapping()
	doc.AddFieldMappingsAt(textField, text)
	m := bleve.NewIndexMapping()
	m.DefaultMapping = doc
	m.DefaultAnalyzer = analyzerName
	m.ScoringModel = index.BM25Scoring

	start := time.Now()
	x, err := bleve.NewUsing("", m, scorch.Name, scorch.Name, nil) // no path: in memory; the store's name is not used
	if err != nil {
		return nil, 0, fmt.Errorf("opening it in memory: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, x.Close())
		}
	}()
	for from := 0; from < len(units); from += batchUnits {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		batch := x.NewBatch()
		for _, u := range units[from:min(from+batchUnits, len(units))] {
			if err := batch.Index(u.ID, map[string]interface{}{textField: u.Text}); err != nil {
				return nil, 0, fmt.Errorf("adding %s: %w", u.ID, err)
			}
		}
		if err := x.Batch(batch); err != nil {
			return nil, 0, fmt.Errorf("indexing the units from %d on: %w", from, err)
		}
	}
	return &bleveIndex{x}, time.Since(start), nil
}

func (x *bleveIndex) rank(ctx context.Context, query string, k int) ([]string, error) {
	q := bleve.NewMatchQuery(query)
	q.SetField(textField)
	request := bleve.NewSearchRequestOptions(q, k, 0, false)
	result, err := x.SearchInContext(ctx, request)
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(result.Hits))
	for i, h := range result.Hits {
		ids[i] = h.ID
	}
	return ids, nil
}
