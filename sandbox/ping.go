package sandbox

import (
	"context"
	"time"

	"github.com/docker/docker/client"
)

// RecipeVersion names how images are made and how steps are started. Raise it when a change here could change what a
// command sees: it is part of every cell's environment.
const RecipeVersion = "image-5"

// PingDocker reports why no Docker engine answers, or nil.
func PingDocker(ctx context.Context) error {
	c, err := client.NewClientWithOpts(client.FromEnv, client.WithAPIVersionNegotiation())
	if err != nil {
		return err
	}
	defer c.Close()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	_, err = c.Ping(ctx)
	return err
}
