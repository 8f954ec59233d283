package chaos_test

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// namespaces are a net of Linux. Each host has a network namespace with its own address, joined by a bridge;
// host -1 is the root namespace, where the web is.
type namespaces struct {
	prefix string
	hosts  int
}

const bridgeNet = "10.77.0."

// newNamespaces creates the network, or returns the reason why this machine cannot.
func newNamespaces(hosts int) (*namespaces, error) {
	if os.Geteuid() != 0 {
		return nil, errors.New("network namespaces take root")
	}
	n := &namespaces{prefix: fmt.Sprintf("es%d", os.Getpid()%10000), hosts: hosts}
	script := []string{
		"ip link add %[1]sbr type bridge", "ip addr add " + bridgeNet + "1/24 dev %[1]sbr", "ip link set %[1]sbr up",
	}
	err := n.do(script)
	for host := range hosts {
		err = errors.Join(err, n.do([]string{
			fmt.Sprintf("ip netns add %%[1]sn%d", host),
			fmt.Sprintf("ip link add %%[1]sv%d type veth peer name eth0 netns %%[1]sn%[1]d", host),
			fmt.Sprintf("ip link set %%[1]sv%d master %%[1]sbr up", host),
			fmt.Sprintf("ip -n %%[1]sn%d addr add %s/24 dev eth0", host, n.ip(host)),
			fmt.Sprintf("ip -n %%[1]sn%d link set eth0 up", host),
			fmt.Sprintf("ip -n %%[1]sn%d link set lo up", host),
		}))
	}
	if err != nil {
		n.close()
		return nil, err
	}
	return n, nil
}

// do runs commands, the prefix filled in.
func (n *namespaces) do(script []string) error {
	for _, line := range script {
		words := strings.Fields(strings.ReplaceAll(line, "%[1]s", n.prefix))
		if out, err := exec.Command(words[0], words[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(words, " "), err, out)
		}
	}
	return nil
}

func (n *namespaces) ip(host int) string {
	if host < 0 {
		return bridgeNet + "1"
	}
	return fmt.Sprintf("%s%d", bridgeNet, 11+host)
}

func (n *namespaces) command(host int, program string, args ...string) *exec.Cmd {
	if host < 0 {
		return exec.Command(program, args...)
	}
	return exec.Command("ip", append([]string{"netns", "exec", fmt.Sprintf("%sn%d", n.prefix, host), program}, args...)...)
}

func (n *namespaces) cut(host int, on bool) error {
	var script []string
	for other := range n.hosts {
		if other == host {
			continue
		}
		for _, rule := range []string{"INPUT -s", "OUTPUT -d"} {
			action := "-D"
			if on {
				action = "-A"
			}
			script = append(script, fmt.Sprintf("ip netns exec %%[1]sn%d iptables -w %s %s %s -j DROP", host, action, rule, n.ip(other)))
		}
	}
	return n.do(script)
}

func (n *namespaces) slow(host int, on bool) error {
	if on {
		return n.do([]string{fmt.Sprintf("tc qdisc add dev %%[1]sv%d root tbf rate 2mbit burst 32kbit latency 400ms", host)})
	}
	return n.do([]string{fmt.Sprintf("tc qdisc del dev %%[1]sv%d root", host)})
}

// close removes all of it; missing parts are ignored.
func (n *namespaces) close() {
	for host := range n.hosts {
		_ = n.do([]string{fmt.Sprintf("ip netns del %%[1]sn%d", host)})
	}
	_ = n.do([]string{"ip link del %[1]sbr"})
}

// netOf is the net that a test requests.
func netOf(t *testing.T, separate bool, hosts int) fleetNet {
	t.Helper()
	if !separate {
		return loopback{}
	}
	n, err := newNamespaces(hosts)
	if err != nil {
		t.Skipf("no network namespaces here: %v", err)
	}
	return n
}
