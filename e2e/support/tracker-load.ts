// A thousand drivers that move every second. Their positions come from here and everything else from the
// product, so that the server cannot be the slow part: only the page is measured.
import type { CDPSession, Page, WebSocketRoute } from '@playwright/test';

export interface Load {
  drivers: number;
  /** The total duration, in seconds. */
  seconds: number;
  /** How many times the page is traced, for some seconds each time. */
  looks: number;
}

interface Measured {
  frames: number;
  /**
   * Milliseconds of script per frame, in CPU time of the page's main thread, so that other load on the
   * machine does not count.
   */
  p50: number;
  p95: number;
  most: number;
  /**
   * Milliseconds per frame in drawing calls, at the 95th percentile. They depend on the graphics hardware, so
   * the figures above leave them out.
   */
  drawing: number;
  /** Bytes in use after a garbage collection: once everything is loaded, and at the end. */
  heapBefore: number;
  heapAfter: number;
  /**
   * The fewest milliseconds that a fixed piece of script takes in this browser, which tells how fast the
   * machine is.
   */
  yardstick: number;
}

/** The duration of one trace in milliseconds. It is shorter if `seconds` leaves less time for each. */
const LOOK_MS = 10_000;
const KMH = 36;
const SECOND_DEG = KMH / 3.6 / 111_195;

function fleet(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    driverId: `LOAD-${String(index).padStart(4, '0')}`,
    name: `Driver ${String(index).padStart(4, '0')}`,
    lat: 14.4 + ((index * 37) % 100) / 250,
    lng: 120.95 + ((index * 61) % 100) / 400,
    heading: (index * 47) % 360,
  }));
}

type Fleet = ReturnType<typeof fleet>;

function drive(drivers: Fleet) {
  for (const driver of drivers) {
    const way = (driver.heading * Math.PI) / 180;
    driver.lat += Math.cos(way) * SECOND_DEG;
    driver.lng += Math.sin(way) * SECOND_DEG;
    driver.heading = (driver.heading + 3) % 360;
  }
}

function locations(drivers: Fleet, cursor: number) {
  const occurredAt = new Date().toISOString();
  return {
    __typename: 'DriverLocations',
    cursor: String(cursor),
    more: false,
    locations: drivers.map(({ driverId, name, lat, lng, heading }) => ({
      __typename: 'DriverLocation',
      driverId,
      name,
      status: 'active',
      position: {
        __typename: 'DriverPosition',
        occurredAt,
        lat,
        lng,
        speedKmh: KMH,
        headingDeg: heading,
        accuracyM: 6,
        batteryPct: 80,
        charging: false,
        motion: true,
      },
    })),
  };
}

/** Answers the socket as the gateway does, and sends the positions of all drivers once a second. */
function feed(socket: WebSocketRoute, drivers: Fleet) {
  let timer: ReturnType<typeof setInterval> | undefined;
  let cursor = 1;
  let tracking: string | undefined;
  socket.onMessage((text) => {
    const { type, id, payload } = JSON.parse(String(text));
    if (type === 'connection_init') socket.send(JSON.stringify({ type: 'connection_ack' }));
    if (type === 'ping') socket.send(JSON.stringify({ type: 'pong' }));
    if (type === 'subscribe' && payload.query.includes('driverPositionsChanged')) tracking = id;
    if (type === 'complete' && id === tracking) tracking = undefined;
    timer ??= setInterval(() => {
      if (tracking === undefined) return;
      drive(drivers);
      cursor += 1;
      const data = { driverPositionsChanged: locations(drivers, cursor) };
      socket.send(JSON.stringify({ type: 'next', id: tracking, payload: { data } }));
    }, 1000);
  });
  socket.onClose(() => clearInterval(timer));
}

interface TraceEvent {
  name: string;
  ph: string;
  ts: number;
  dur?: number;
  tts?: number;
  tdur?: number;
  pid: number;
  tid: number;
  args?: { name?: string };
}

const SCRIPT = new Set([
  'FunctionCall',
  'EvaluateScript',
  'TimerFire',
  'FireAnimationFrame',
  'FireIdleCallback',
  'RunMicrotasks',
  'EventDispatch',
]);
const FRAME = 'AnimationFrame';
const DRAWING = 'waybill drawing';

/** After each frame, writes into the trace how long the drawing calls took in that frame. */
function watchDrawing(name: string) {
  let spent = 0;
  const calls = WebGL2RenderingContext.prototype as unknown as Record<string, unknown>;
  for (const call of ['drawElements', 'drawArrays', 'bufferData', 'bufferSubData', 'texImage2D', 'texSubImage2D', 'clear']) {
    const draw = calls[call] as (...args: unknown[]) => unknown;
    calls[call] = function timed(this: unknown, ...args: unknown[]) {
      const begun = performance.now();
      try {
        return draw.apply(this, args);
      } finally {
        spent += performance.now() - begun;
      }
    };
  }
  const request = window.requestAnimationFrame.bind(window);
  window.requestAnimationFrame = (callback) =>
    request((time) => {
      callback(time);
      if (spent === 0) return;
      const end = performance.now();
      performance.measure(name, { start: end - spent, end });
      performance.clearMeasures(name);
      spent = 0;
    });
}

interface Frame {
  script: number;
  drawing: number;
}

/**
 * Returns, for each frame, the milliseconds that its drawing calls took, and those of script since the previous
 * frame. Nested events count once.
 */
function framesOf(events: readonly TraceEvent[]): Frame[] {
  const mains = new Set(
    events.filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain').map(({ pid, tid }) => `${pid} ${tid}`),
  );
  const own = events
    .filter(({ name, pid, tid, ph }) => mains.has(`${pid} ${tid}`) && (ph === 'X' || (ph === 'e' && name === FRAME) || name === DRAWING))
    .toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0));
  const frames: Frame[] = [];
  let spent = 0;
  let drawn = 0;
  let drawingSince = 0;
  let until = 0;
  for (const { name, ph, ts, dur = 0, tdur = 0 } of own) {
    if (name === FRAME) {
      frames.push({ script: Math.max(0, spent - drawn) / 1000, drawing: drawn / 1000 });
      spent = 0;
      drawn = 0;
      continue;
    }
    if (name === DRAWING) {
      if (ph === 'b') drawingSince = ts;
      else if (ph === 'e') drawn += ts - drawingSince;
      continue;
    }
    // An event inside another was already counted with it.
    if (!SCRIPT.has(name) || ts < until) continue;
    spent += tdur;
    until = ts + dur;
  }
  return frames;
}

async function trace(session: CDPSession, forMs: number): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  const collect = ({ value }: { value: object[] }) => void events.push(...(value as TraceEvent[]));
  session.on('Tracing.dataCollected', collect);
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: ['devtools.timeline', 'blink.user_timing', '__metadata'] },
  });
  await new Promise((resolve) => setTimeout(resolve, forMs));
  const done = new Promise<void>((resolve) => session.once('Tracing.tracingComplete', () => resolve()));
  await session.send('Tracing.end');
  await done;
  session.off('Tracing.dataCollected', collect);
  return events;
}

async function heap(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  return usedSize;
}

/** Runs the same script several times and returns the shortest time: other load only makes it longer. */
function yardstick(): number {
  let best = Infinity;
  for (let round = 0; round < 15; round += 1) {
    const begun = performance.now();
    const sums = new Map<string, number>();
    for (let step = 0; step < 60_000; step += 1) {
      const key = `d${step % 1000}`;
      sums.set(key, (sums.get(key) ?? 0) + Math.sin(step));
    }
    best = Math.min(best, performance.now() - begun);
  }
  return best;
}

/** Opens the tracker with a fleet and measures the page. A user must already be signed in on it. */
export async function measureTracker(page: Page, { drivers: count, seconds, looks }: Load): Promise<Measured> {
  const drivers = fleet(count);
  await page.addInitScript(watchDrawing, DRAWING);
  await page.routeWebSocket(/\/graphql$/, (socket) => feed(socket, drivers));
  await page.route('**/graphql', async (route) => {
    const body = route.request().postData() ?? '';
    if (!body.includes('query DriverLocations')) return route.fallback();
    return route.fulfill({ json: { data: { driverLocations: locations(drivers, 1) } } });
  });
  await page.goto('/driver-tracker-list');
  await page.getByRole('button', { name: `All ${count.toLocaleString('en-US')}` }).waitFor();
  await page.getByText(/^Live, updated/).waitFor();
  // Wait first: the first seconds create objects that stay, which would otherwise count as growth.
  const lookMs = Math.min(LOOK_MS, (seconds * 1000) / looks);
  await page.waitForTimeout(0.8 * lookMs);

  const session = await page.context().newCDPSession(page);
  await session.send('HeapProfiler.enable');
  const heapBefore = await heap(session);
  const pause = Math.max(0, (seconds * 1000 - looks * lookMs) / looks);
  const frames: Frame[] = [];
  for (let look = 0; look < looks; look += 1) {
    frames.push(...framesOf(await trace(session, lookMs)));
    await page.waitForTimeout(pause);
  }
  const heapAfter = await heap(session);
  const sorted = (part: keyof Frame) => frames.map((frame) => frame[part]).toSorted((a, b) => a - b);
  const at = (values: number[], share: number) => values[Math.min(values.length - 1, Math.floor(values.length * share))] ?? Number.NaN;
  const script = sorted('script');
  return {
    frames: frames.length,
    p50: at(script, 0.5),
    p95: at(script, 0.95),
    most: at(script, 1),
    drawing: at(sorted('drawing'), 0.95),
    heapBefore,
    heapAfter,
    yardstick: await page.evaluate(yardstick),
  };
}
