package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/server/common/authorization"
	"go.temporal.io/server/common/cluster"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/dynamicconfig"
	"go.temporal.io/server/common/membership/static"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	"go.temporal.io/server/common/primitives"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"go.temporal.io/server/temporal"
	"google.golang.org/protobuf/types/known/durationpb"
)

const (
	clusterName = "active"

	// clusterID is read when a file is first initialised and never again; any constant does.
	clusterID = "a1c2f9b4-5f0e-4d57-9f0b-2e6c1d7a8e30"

	// One history shard and one task queue partition: more gained nothing in measurements on one machine, and one
	// partition makes priorities exact. The number of shards is fixed for the life of a file.
	historyShards = 1
	partitions    = 1
)

// services in the order in which ports are handed to them; the first is the one that clients talk to.
var services = []primitives.ServiceName{
	primitives.FrontendService, primitives.HistoryService, primitives.MatchingService, primitives.WorkerService,
}

// server is a running embedded server.
type server struct {
	running temporal.Server
	port    int
	failed  chan string // the server's first fatal record, buffered
}

// connections numbers the servers of this process. The server keeps each file's connection open for ever and hands it
// out again for the same name; the number makes the names differ, so that a server started after its file was moved
// aside does not go on writing to the old one.
var connections atomic.Int64

func sqlConfig(file string) *config.SQL {
	attributes := map[string]string{"mode": "rw", "setup": "no-" + strconv.FormatInt(connections.Add(1), 10)}
	for _, p := range pragmas {
		attributes[p.name] = p.value
	}
	return &config.SQL{
		PluginName:        sqlite.PluginName,
		DatabaseName:      uriPath(file),
		MaxConns:          1,
		MaxIdleConns:      1,
		ConnectAttributes: attributes,
	}
}

// createNamespace writes the namespace into the file, where there is none yet.
func createNamespace(database *config.SQL) error {
	attributes := make(map[string]enumspb.IndexedValueType, len(searchAttributes))
	for _, name := range searchAttributes {
		attributes[name] = enumspb.INDEXED_VALUE_TYPE_KEYWORD
	}
	ns, err := sqliteschema.NewNamespaceConfig(clusterName, Namespace, false, attributes)
	if err != nil {
		return fmt.Errorf("describing the namespace %s: %w", Namespace, err)
	}
	ns.Detail.Config.Retention = durationpb.New(Retention)
	if err := sqliteschema.CreateNamespaces(database, ns); err != nil {
		return fmt.Errorf("making the namespace %s: %w", Namespace, err)
	}
	return nil
}

func serverConfig(database *config.SQL, ports []int) *config.Config {
	frontend := address(ports[0])
	c := &config.Config{
		Persistence: config.Persistence{
			DefaultStore:     sqlite.PluginName,
			VisibilityStore:  sqlite.PluginName,
			NumHistoryShards: historyShards,
			DataStores:       map[string]config.DataStore{sqlite.PluginName: {SQL: database}},
		},
		ClusterMetadata: &cluster.Config{
			FailoverVersionIncrement: 10,
			MasterClusterName:        clusterName,
			CurrentClusterName:       clusterName,
			ClusterInformation: map[string]cluster.ClusterInformation{
				clusterName: {Enabled: true, InitialFailoverVersion: 1, RPCAddress: frontend, ClusterID: clusterID},
			},
		},
		DCRedirectionPolicy: config.DCRedirectionPolicy{Policy: "noop"},
		Archival: config.Archival{
			History:    config.HistoryArchival{State: "disabled"},
			Visibility: config.VisibilityArchival{State: "disabled"},
		},
		NamespaceDefaults: config.NamespaceDefaults{Archival: config.ArchivalNamespaceDefaults{
			History:    config.HistoryArchivalNamespaceDefaults{State: "disabled"},
			Visibility: config.VisibilityArchivalNamespaceDefaults{State: "disabled"},
		}},
		PublicClient: config.PublicClient{HostPort: frontend},
		Services:     make(map[string]config.Service, len(services)),
	}
	c.Global.Membership = config.Membership{MaxJoinDuration: 30 * time.Second, BroadcastAddress: loopback}
	for i, name := range services {
		c.Services[string(name)] = config.Service{RPC: config.RPC{GRPCPort: ports[i], BindOnIP: loopback}}
	}
	return c
}

// settings are the server's run time settings that differ from its defaults. Numbers must be of type int.
func settings() dynamicconfig.StaticClient {
	return dynamicconfig.StaticClient{
		dynamicconfig.HistoryCacheHostLevelMaxSize.Key():            8096,
		dynamicconfig.ForceSearchAttributesCacheRefreshOnRead.Key(): true,
		dynamicconfig.FrontendPersistenceMaxQPS.Key():               10000,
		dynamicconfig.HistoryPersistenceMaxQPS.Key():                45000,
		dynamicconfig.FrontendMaxNamespaceRPSPerInstance.Key():      10000,
		dynamicconfig.MatchingNumTaskqueueReadPartitions.Key():      partitions,
		dynamicconfig.MatchingNumTaskqueueWritePartitions.Key():     partitions,
	}
}

// startServer brings the services up on the reserved ports, which it releases for them. Hosts are fixed instead of
// discovered: the rows that a killed process leaves in the membership table would be waited for.
func startServer(ctx context.Context, database *config.SQL, held *reservation, out *slog.Logger) (*server, error) {
	ports := held.ports()
	s := &server{port: ports[0], failed: make(chan string, 1)}
	logger := serverLog{out: out, fatal: func(text string) {
		select {
		case s.failed <- text:
		default: // only the first says why
		}
	}}
	hosts := make(map[primitives.ServiceName]static.Hosts, len(services))
	for i, name := range services {
		hosts[name] = static.SingleLocalHost(address(ports[i]))
	}
	if err := held.release(); err != nil {
		return nil, fmt.Errorf("giving the reserved ports to the server: %w", err)
	}
	started := make(chan error, 1)
	go func() {
		err := errors.New("it ended while starting") // stands when a fatal record ends this goroutine
		defer func() {
			if fault := recover(); fault != nil {
				err = fmt.Errorf("it panicked while starting: %v", fault)
			}
			started <- err
		}()
		s.running, err = temporal.NewServer(
			temporal.WithConfig(serverConfig(database, ports)),
			temporal.ForServices(temporal.DefaultServices),
			temporal.WithStaticHosts(hosts),
			temporal.WithLogger(logger),
			temporal.WithAuthorizer(authorization.NewNoopAuthorizer()),
			temporal.WithClaimMapper(func(*config.Config) authorization.ClaimMapper { return authorization.NewNoopClaimMapper() }),
			temporal.WithDynamicConfigClient(settings()),
		)
		if err == nil {
			err = s.running.Start()
		}
	}()
	select {
	case err := <-started:
		if err == nil {
			return s, nil
		}
		select {
		case text := <-s.failed:
			err = errors.New(text)
		default:
		}
		return nil, fmt.Errorf("starting the embedded Temporal server: %w", err)
	case <-ctx.Done():
		// Stopping a server that is half up blocks or panics; it is waited for and then stopped. Starting takes well
		// under a second and is bounded by the server itself.
		if err := <-started; err == nil {
			return nil, errors.Join(context.Cause(ctx), s.running.Stop())
		}
		return nil, context.Cause(ctx)
	}
}
