// Listens to the room, outside the script of the page: the server says numbers over a websocket when something has
// changed, and only if one that this page watches is another does the page run again. One run at a time: what changes
// meanwhile is told when it is over. Where the teacher has only gone on, pictures come first, made once for all pages
// that look alike, and this page runs when there is time.
const AGAIN = 500, PATIENCE = 8000; // milliseconds: until the server is asked again, until a run counts as lost
const AWAITED = 800, LATER = [300, 2500]; // until pictures on their way count as lost, until the page of drawn ones runs

/** @param {Mount<{ path: string, watch: Record<string, number>, cookies: string[], sight: string }>} mount */
export default function ({ data, setStateValue }) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  for (const cookie of data.cookies) document.cookie = `${cookie}; path=/; max-age=${24 * 3600}; SameSite=Strict${secure}`;
  /** @type {ListenedRoom} */
  const room = (window.attentionBenchRoom ??= { watch: {}, sight: "", tell: () => {} });
  clearTimeout(room.leaving);
  clearTimeout(room.waiting ?? undefined);
  /** @type {ListenedRoom["tell"]} */
  const tell = (what) => setStateValue("moved", what);
  Object.assign(room, { watch: data.watch, tell, waiting: null });
  if (room.path !== data.path) {
    Object.assign(room, { path: data.path, now: null, sight: data.sight });
    listen(room);
  } else if (room.sight !== data.sight) {
    room.sight = data.sight;
    say(room);
  }
  compare(room);
  return () => {
    room.leaving = setTimeout(() => { room.path = null; room.socket?.close(); }, 2000);
  };
}

/** @param {ListenedRoom} room */
function listen(room) {
  room.socket?.close();
  const socket = (room.socket = new WebSocket(new URL(room.path ?? "", location.href.replace(/^http/, "ws"))));
  socket.binaryType = "arraybuffer";
  socket.onopen = () => say(room);
  socket.onmessage = ({ data }) => {
    if (room.socket !== socket) return;
    if (typeof data === "string") room.now = JSON.parse(data);
    else draw(room, data);
    compare(room);
  };
  socket.onclose = () => {
    if (room.socket === socket && room.path && !room.now?.over) setTimeout(() => room.socket === socket && listen(room), AGAIN * (1 + Math.random()));
  };
}

// What this page looks like.
/** @param {ListenedRoom} room */
function say({ socket, sight }) {
  if (sight && socket?.readyState === WebSocket.OPEN) socket.send(new TextEncoder().encode(sight));
}

// Hand pictures to the canvases of the page; it runs later only if they have taken all.
/** @param {ListenedRoom} room @param {ArrayBuffer} frame */
function draw(room, frame) {
  const end = 4 + new DataView(frame).getUint32(0, true);
  /** @type {{ lead: number, pictures: [string, number][] }} */
  const { lead, pictures } = JSON.parse(new TextDecoder().decode(new Uint8Array(frame, 4, end - 4)));
  if (room.now?.lead !== lead || room.watch.lead === undefined || room.watch.lead === lead) return;
  let place = end, all = true;
  for (const [key, length] of pictures) {
    const detail = { key, bytes: new Uint8Array(frame.slice(place, place += length)), taken: false };
    window.dispatchEvent(new CustomEvent("attention-bench-picture", { detail }));
    all &&= detail.taken;
  }
  if (all) room.pictured = lead;
}

/** @param {ListenedRoom} room */
function compare(room) {
  const { now, watch } = room;
  clearTimeout(room.later);
  if (!now || room.waiting) return;
  const news = Object.keys(watch).filter((name) => now[name] !== watch[name]);
  if (!now.over && !news.length) return;
  const [least, most] = LATER;
  const pause = now.over || news.some((name) => name !== "lead") ? 0
    : room.pictured === now.lead ? least + (most - least) * Math.random()
    : now.awaits ? AWAITED : 0;
  if (pause) room.later = setTimeout(() => run(room), pause);
  else run(room);
}

/** @param {ListenedRoom} room */
function run(room) {
  room.waiting = setTimeout(() => { room.waiting = null; compare(room); }, PATIENCE);
  room.tell({ ...room.now, at: Date.now() });
}
