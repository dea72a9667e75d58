// What the scripts are given: by Streamlit, by Python, and by each other through the window.

/** What a component of Streamlit (v2) hands to its script. */
interface Mount<Data> {
  parentElement: HTMLElement | ShadowRoot;
  data: Data;
  setTriggerValue(name: string, value: unknown): void;
  setStateValue(name: string, value: unknown): void;
}

/** What a step of a lesson points at. */
interface LessonPoint {
  of?: string;
  word: string;
  title?: string;
  done: boolean;
}

/** What a page knows of its room, whatever run of the script comes next. */
interface ListenedRoom {
  path?: string | null;
  now?: Record<string, number | boolean> | null;
  sight: string;
  pictured?: number;
  later?: number;
  watch: Record<string, number>;
  tell(what: Record<string, number | boolean>): void;
  socket?: WebSocket;
  leaving?: number;
  waiting?: number | null;
}

interface Window {
  attentionBenchTurning?: boolean;
  attentionBenchHistory?: boolean;
  attentionBenchClicker?: boolean;
  attentionBenchRoving?: boolean;
  attentionBenchNoting?: boolean;
  attentionBenchSending?: boolean;
  attentionBenchDark?: boolean;
  attentionBenchWrapping?: boolean;
  attentionBenchPoint?: LessonPoint | null;
  attentionBenchRoom?: ListenedRoom;
  attentionBenchForeseen?: Uint8Array<ArrayBuffer>;
  Plotly: { newPlot(place: HTMLElement, data: unknown, layout: unknown, config: unknown): void };
}

/** Before `fetched.js`: where the script of a canvas is. */
declare const ADDRESS: string;
/** Before `standalone.js`: the name of a canvas, and its script. */
declare const CANVAS: string;
declare function show(mount: Mount<Uint8Array>): unknown;
