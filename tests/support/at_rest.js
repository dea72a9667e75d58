// What a page still waits for, counted from its beginning: runs of its script, timers of less than a second (a popover
// whose button is out of sight looks for it every second), data that is unpacked, code of an element that is loaded.
(() => {
  const RERUN = 0x5a, FINISHED = 0x30, EARLY = 2;  // of Streamlit's messages: a field's tag, twice, and a value
  const rest = window.atRest = { timers: new Set(), unpacking: 0, awaited: false, count: 0 };
  const { setTimeout: start, clearTimeout: stop } = window;
  window.setTimeout = (call, delay = 0, ...given) => {
    if (typeof call !== 'function' || delay >= 1000) return start(call, delay, ...given);
    const timer = start(() => { rest.timers.delete(timer); call(...given); }, delay);
    rest.timers.add(timer);
    rest.count++;
    return timer;
  };
  window.clearTimeout = timer => { rest.timers.delete(timer); stop(timer); };

  const unpack = Response.prototype.arrayBuffer;
  Response.prototype.arrayBuffer = async function () {
    rest.unpacking++;
    try {
      return await unpack.call(this);
    } finally {
      rest.unpacking--;
      rest.count++;
    }
  };

  // Return a number of variable length, and where it ends.
  function read(bytes, at) {
    let value = 0, shift = 0, byte;
    do { byte = bytes[at++]; value += (byte & 0x7f) * 2 ** shift; shift += 7; } while (byte & 0x80);
    return [value, at];
  }

  // Return how a run of the script has finished, or undefined if the message tells of something else.
  function finished(bytes) {
    for (let at = 0, tag, value; at < bytes.length;) {
      [tag, at] = read(bytes, at);
      [value, at] = read(bytes, at);
      if (tag === FINISHED) return value;
      if ((tag & 7) === 2) at += value;
    }
    return undefined;
  }

  window.WebSocket = class extends WebSocket {
    constructor(...given) {
      super(...given);
      this.addEventListener('message', ({ data }) => {
        rest.count++;
        const how = data instanceof ArrayBuffer ? finished(new Uint8Array(data)) : undefined;
        if (how !== undefined) rest.awaited = how === EARLY;
      });
      this.addEventListener('close', () => { rest.awaited = false; });
    }
    send(data) {
      rest.count++;
      if (typeof data !== 'string' && new Uint8Array(data.buffer ?? data, data.byteOffset ?? 0)[0] === RERUN) {
        rest.awaited = true;
      }
      super.send(data);
    }
  };

  const isBusy = () => rest.awaited || rest.timers.size > 0 || rest.unpacking > 0
    || !document.querySelector('[data-test-script-state="notRunning"]')
    || document.querySelector('[data-testid="stSkeleton"]') !== null;
  const frame = () => new Promise(requestAnimationFrame);

  // Whether nothing is awaited, and two frames and a word with the server later nothing has come of it.
  window.isAtRest = async () => {
    const before = rest.count;
    if (isBusy()) return false;
    await frame();
    await frame();
    const answer = await fetch('/_stcore/health', { cache: 'no-store' }).catch(() => null);
    return answer !== null && !isBusy() && rest.count === before;
  };
})();
