package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"
	"github.com/labstack/echo/v4/middleware"
	"github.com/temporalio/ui-server/v2/server/config"
	"github.com/temporalio/ui-server/v2/server/csrf"
	"github.com/temporalio/ui-server/v2/server/route"
	"github.com/temporalio/ui-server/v2/ui"
)

const uiCloseTime = 300 * time.Millisecond

// webUI serves the Temporal web UI. The UI's own server ends the process when it cannot listen, so its pages and its
// gateway are put on an HTTP server of ours.
type webUI struct {
	server *http.Server
	base   string // http://host:port
	done   chan struct{}
}

// startUI starts the UI when it is asked for. Its failure is remembered and told, and nothing more.
func (e *Engine) startUI() {
	if !e.options.UI {
		return
	}
	var err error
	if e.ui, err = serveUI(e.address, e.options.Namespace, e.options.UIPort); err != nil {
		e.uiError = fmt.Errorf("the web UI is not available: %w", err)
		e.options.OnNotice(e.uiError.Error())
		return
	}
	e.options.Log.Info("Temporal web UI is up", "url", e.ui.base)
}

// UIURL is where the web UI shows a workflow's latest run, or the list of workflows when the id is empty. It is ""
// without a UI.
func (e *Engine) UIURL(workflowID string) string {
	if e.ui == nil {
		return ""
	}
	list := e.ui.base + "/namespaces/" + url.PathEscape(e.options.Namespace) + "/workflows"
	if workflowID == "" {
		return list
	}
	return list + "/" + url.PathEscape(workflowID)
}

// UIError says why there is no web UI although it was asked for, nil otherwise.
func (e *Engine) UIError() error { return e.uiError }

func serveUI(server, namespace string, port int) (u *webUI, err error) {
	defer func() {
		if fault := recover(); fault != nil { // the UI's set-up code panics on what it does not like
			u, err = nil, fmt.Errorf("setting it up: %v", fault)
		}
	}()
	listener, err := listen(port)
	if err != nil {
		return nil, err
	}
	handler, err := uiHandler(server, namespace, listener.Addr().(*net.TCPAddr).Port)
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	u = &webUI{
		server: &http.Server{
			Handler:           handler,
			ReadHeaderTimeout: 10 * time.Second,
			IdleTimeout:       2 * time.Minute,
			ErrorLog:          log.New(io.Discard, "", 0),
		},
		base: "http://" + listener.Addr().String(),
		done: make(chan struct{}),
	}
	go func() {
		defer close(u.done)
		_ = u.server.Serve(listener) // ends by close, or with the listener, which nobody else holds
	}()
	return u, nil
}

// uiHandler puts the UI's pages and its gateway to the server together, read only: what happens to a run is decided
// by evlab, which would not notice a workflow changed behind its back.
func uiHandler(server, namespace string, port int) (http.Handler, error) {
	settings, err := config.NewConfigProviderWithRefresh(&config.Config{
		TemporalGRPCAddress: server,
		Host:                loopback,
		Port:                port,
		EnableUI:            true,
		DefaultNamespace:    namespace,
		DisableNewsFetch:    true,
		HideLogs:            true,
		DisableWriteActions: true,
		CORS:                config.CORS{CookieInsecure: true},
	})
	if err != nil {
		return nil, fmt.Errorf("configuring it: %w", err)
	}
	pages, err := ui.Assets()
	if err != nil {
		return nil, fmt.Errorf("reading its pages: %w", err)
	}
	if pages, err = fs.Sub(pages, "local"); err != nil {
		return nil, fmt.Errorf("reading its pages: %w", err)
	}
	e := echo.New()
	e.HideBanner, e.HidePort = true, true
	e.Logger.SetOutput(io.Discard)
	e.Use(middleware.Recover(), onlyHost(port), middleware.Gzip(), middleware.Secure(),
		csrf.EnsureTokenCookie(false), middleware.CSRFWithConfig(csrf.MiddlewareConfig(settings, false)))
	route.SetHealthRoute(e)
	if err := route.SetAPIRoutes(e, settings, nil); err != nil {
		return nil, err
	}
	if err := route.SetUIRoutes(e, "", pages); err != nil {
		return nil, fmt.Errorf("reading its pages: %w", err)
	}
	route.SetRenderRoute(e, "")
	return e, nil
}

// onlyHost refuses requests under other names than ours: a web page elsewhere could have its own name resolve to this
// machine and then read the runs through a visitor's browser.
func onlyHost(port int) echo.MiddlewareFunc {
	allowed := map[string]bool{address(port): true, fmt.Sprintf("localhost:%d", port): true}
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			if !allowed[c.Request().Host] {
				return echo.NewHTTPError(http.StatusForbidden, "this address is for "+address(port)+" only")
			}
			return next(c)
		}
	}
}

func (u *webUI) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), uiCloseTime)
	defer cancel()
	err := u.server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		err = u.server.Close() // a browser that keeps asking is no reason to wait
	}
	<-u.done
	if err != nil {
		return fmt.Errorf("stopping the web UI: %w", err)
	}
	return nil
}
