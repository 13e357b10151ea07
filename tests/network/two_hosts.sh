#!/usr/bin/env bash
# Trains over two hosts: network namespaces with names, addresses and a link of their own, Open MPI over TCP. An
# undisturbed run finishes; one whose link is cut in the middle ends by itself, names what is missing, and started again
# resumes and leaves the same model. Ends with 77 (skipped) where namespaces are not allowed.
#   tests/network/two_hosts.sh PROGRAM
set -euo pipefail
program=$(realpath "$1")
support=$(realpath "$(dirname "$0")/../support")
folder=$(mktemp -d)
near=gausscse-$$-near
far=gausscse-$$-far
# Open MPI looks for its daemons every second, so that it knows of a cut before the ranks' time-out is over.
keep_alive=(--mca oob_tcp_keepalive_time 3 --mca oob_tcp_keepalive_intvl 1 --mca oob_tcp_keepalive_probes 2)

clean_up() {
  for name in "$near" "$far"; do
    ip netns pids "$name" 2>/dev/null | xargs -r kill -9 2>/dev/null
    ip netns del "$name" 2>/dev/null
  done
  rm -rf "$folder"
}
trap clean_up EXIT
skip() {
  echo "SKIPPED: $1"
  exit 77
}
fail() {
  echo "two_hosts.sh: $1" >&2
  tail -n 40 "$folder"/*.log >&2
  exit 1
}

command -v ip >/dev/null || skip "no program ip: install iproute2"
{ ip netns add "$near" && ip netns add "$far"; } 2>"$folder/reason" ||
  skip "network namespaces are not allowed here ($(head -n 1 "$folder/reason")); root may"
ip link add near0 netns "$near" type veth peer name far0 netns "$far" 2>"$folder/reason" ||
  skip "no pair of linked network devices can be made here ($(head -n 1 "$folder/reason"))"
for host in "$near near0 10.77.0.1" "$far far0 10.77.0.2"; do
  read -r name device address <<<"$host"
  ip -n "$name" address add "$address/24" dev "$device"
  ip -n "$name" link set lo up
  ip -n "$name" link set "$device" up
done

# Open MPI starts its daemon on the other host by this in place of ssh: HOST COMMAND...
cat >"$folder/agent.sh" <<TEXT
#!/usr/bin/env bash
shift
exec ip netns exec "$far" unshare --uts bash -c 'hostname far; exec bash -c "\$0"' "\$*"
TEXT
chmod +x "$folder/agent.sh"
"$support/make_trial.sh" "$program" "$folder" 16 2

# train NAME: two ranks, one on each host; what they print is in NAME.log.
train() {
  ip netns exec "$near" unshare --uts bash -c 'hostname near; exec "$@"' bash \
    mpirun --allow-run-as-root --host 10.77.0.1,10.77.0.2 -np 2 --mca plm_rsh_agent "$folder/agent.sh" --bind-to none \
    --mca btl tcp,self --mca pml ob1 --mca btl_tcp_if_include 10.77.0.0/24 --mca oob_tcp_if_include 10.77.0.0/24 \
    "${keep_alive[@]}" "$program" train "$folder/trial.yaml" --threads 1 --timeout 30 --set "output=$1" --json "$folder/$1.json" \
    >>"$folder/$1.log" 2>&1
}
# wait_for COMMAND...: until it succeeds; fails after some minutes.
wait_for() {
  for attempt in $(seq 2000); do
    if "$@"; then return 0; fi
    sleep 0.1
  done
  fail "waited in vain for: $*"
}
has_checkpoint() { compgen -G "$folder/$1/checkpoints/*.safetensors" >/dev/null; }
is_over() { ! kill -0 "$1" 2>/dev/null; }
# reaches FROM ADDRESS: an answer comes back, be it a refusal; a link that has just come up loses what is sent first.
reaches() { [[ $(ip netns exec "$1" timeout 5 bash -c "exec 3<>/dev/tcp/$2/9" 2>&1 || true) == *refused* ]]; }
nothing_left() { [ -z "$(ip netns pids "$near")$(ip netns pids "$far")" ]; }

echo "== undisturbed"
train whole || fail "the undisturbed run ended with $?"
grep -q "2 ranks (mpi)" "$folder/whole.log" || fail "the undisturbed run had not two ranks"

echo "== the link is cut"
train cut &
run=$!
wait_for has_checkpoint cut
ip -n "$near" link set near0 down
wait_for is_over "$run"
if wait "$run"; then fail "the run whose link was cut ended with 0"; fi
grep -q "lost communication with a remote daemon" "$folder/cut.log" || fail "the run does not say that a host is lost"
wait_for nothing_left
[ ! -e "$folder/cut/result.h5" ] || fail "the run whose link was cut left a result"

echo "== the link is back"
ip -n "$near" link set near0 up
wait_for reaches "$far" 10.77.0.1
wait_for reaches "$near" 10.77.0.2
train cut || fail "the resumed run ended with $?"
grep -q "going on after step" "$folder/cut.log" || fail "the run did not resume"
cmp "$folder/whole.json" "$folder/cut.json" || fail "the resumed run has other figures"
cmp "$folder/whole/model/model.safetensors" "$folder/cut/model/model.safetensors" || fail "the resumed run has another model"
echo "two hosts: the run whose link was cut ended by itself and resumed to the same model"
