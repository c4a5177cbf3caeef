// The client of the rig over go-ethereum's ethclient: questions as lines of JSON on stdin, answers and announced blocks on stdout.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/ethereum/go-ethereum"
	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/crypto"
	"github.com/ethereum/go-ethereum/ethclient"
)

type asked struct {
	ID  int             `json:"id"`
	Ask string          `json:"ask"`
	Arg json.RawMessage `json:"arg"`
}

type line map[string]any

var (
	printing sync.Mutex
	calls    *ethclient.Client
	address  = common.HexToAddress(os.Getenv("ADDRESS"))
)

func tell(l line) {
	printing.Lock()
	defer printing.Unlock()
	text, _ := json.Marshal(l)
	fmt.Println(string(text))
}

// watch subscribes to heads, over a new connection each time that the last one is lost.
func watch() {
	for isFirst := true; ; isFirst = false {
		if !isFirst {
			time.Sleep(500 * time.Millisecond)
			tell(line{"reconnected": true})
		}
		if err := watchOnce(); err != nil {
			tell(line{"failed": err.Error()})
		}
	}
}

func watchOnce() error {
	socket, err := ethclient.Dial(os.Getenv("WS"))
	if err != nil {
		return err
	}
	defer socket.Close()
	heads := make(chan *types.Header)
	subscription, err := socket.SubscribeNewHead(context.Background(), heads)
	if err != nil {
		return err
	}
	for {
		select {
		case err := <-subscription.Err():
			return err
		case head := <-heads:
			tell(line{"block": line{"number": head.Number.Uint64(), "hash": head.Hash().Hex()}})
		}
	}
}

func send(ctx context.Context, nonce uint64) error {
	key, err := crypto.HexToECDSA(strings.TrimPrefix(os.Getenv("KEY"), "0x"))
	if err != nil {
		return err
	}
	chainID, err := strconv.ParseInt(os.Getenv("CHAIN_ID"), 10, 64)
	if err != nil {
		return err
	}
	to := common.HexToAddress("0x000000000000000000000000000000000000dEaD")
	id := big.NewInt(chainID)
	tx, err := types.SignNewTx(key, types.LatestSignerForChainID(id), &types.DynamicFeeTx{
		ChainID: id, Nonce: nonce, To: &to, Value: big.NewInt(1), Gas: 21_000,
		GasFeeCap: big.NewInt(20_000_000_000), GasTipCap: big.NewInt(1_000_000_000),
	})
	if err != nil {
		return err
	}
	return calls.SendTransaction(ctx, tx)
}

func answer(a asked) (line, error) {
	ctx := context.Background()
	number := uint64(0)
	text := ""
	if json.Unmarshal(a.Arg, &number) != nil {
		_ = json.Unmarshal(a.Arg, &text)
	}
	switch a.Ask {
	case "watch":
		go watch()
		return line{}, nil
	case "blockNumber":
		head, err := calls.BlockNumber(ctx)
		return line{"number": head}, err
	case "latest":
		head, err := calls.HeaderByNumber(ctx, nil)
		if err != nil {
			return nil, err
		}
		return line{"number": head.Number.Uint64()}, nil
	case "pendingNonce":
		nonce, err := calls.PendingNonceAt(ctx, address)
		return line{"number": nonce}, err
	case "hasBlock":
		_, err := calls.HeaderByHash(ctx, common.HexToHash(text))
		if errors.Is(err, ethereum.NotFound) {
			return line{"found": false}, nil
		}
		return line{"found": true}, err
	case "stateAt":
		_, err := calls.BalanceAt(ctx, address, new(big.Int).SetUint64(number))
		return line{}, err
	case "send":
		return line{}, send(ctx, number)
	}
	return nil, errors.New(a.Ask)
}

func main() {
	var err error
	if calls, err = ethclient.Dial(os.Getenv("URL")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	input := bufio.NewScanner(os.Stdin)
	for input.Scan() {
		var a asked
		if err := json.Unmarshal(input.Bytes(), &a); err != nil {
			continue
		}
		go func() {
			result, err := answer(a)
			if err != nil {
				result = line{"error": err.Error()}
			}
			result["id"] = a.ID
			tell(result)
		}()
	}
}
