// Listens to the room, outside the script of the page: the server says numbers over a websocket when something has
// changed, and only if one that this page watches is another does the page run again. One run at a time: what changes
// meanwhile is told when it is over.
const AGAIN = 500, PATIENCE = 8000; // milliseconds: until the server is asked again, until a run counts as lost

/** @param {Mount<{ path: string, watch: Record<string, number>, cookies: string[] }>} mount */
export default function ({ data, setStateValue }) {
  const secure = location.protocol === "https:" ? "; Secure" : "";
  for (const cookie of data.cookies) document.cookie = `${cookie}; path=/; max-age=${24 * 3600}; SameSite=Strict${secure}`;
  /** @type {ListenedRoom} */
  const room = (window.attentionBenchRoom ??= { watch: {}, tell: () => {} });
  clearTimeout(room.leaving);
  clearTimeout(room.waiting ?? undefined);
  /** @type {ListenedRoom["tell"]} */
  const tell = (what) => setStateValue("moved", what);
  Object.assign(room, { watch: data.watch, tell, waiting: null });
  if (room.path !== data.path) {
    Object.assign(room, { path: data.path, now: null });
    listen(room);
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
  socket.onmessage = (event) => {
    if (room.socket !== socket) return;
    room.now = JSON.parse(event.data);
    compare(room);
  };
  socket.onclose = () => {
    if (room.socket === socket && room.path && !room.now?.over) setTimeout(() => room.socket === socket && listen(room), AGAIN * (1 + Math.random()));
  };
}

/** @param {ListenedRoom} room */
function compare(room) {
  const { now, watch } = room;
  if (!now || room.waiting) return;
  if (!now.over && Object.entries(watch).every(([name, known]) => now[name] === known)) return;
  room.waiting = setTimeout(() => { room.waiting = null; compare(room); }, PATIENCE);
  room.tell({ ...now, at: Date.now() });
}
