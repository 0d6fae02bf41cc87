import type { Map as MapLibreMap } from 'maplibre-gl';
import type { Palette } from './palette';

/** Images are drawn at double size for high-density screens. */
const RATIO = 2;

function draw(
  map: MapLibreMap,
  name: string,
  size: number,
  paint: (context: CanvasRenderingContext2D) => void,
): void {
  const canvas = document.createElement('canvas');
  canvas.width = size * RATIO;
  canvas.height = size * RATIO;
  const context = canvas.getContext('2d');
  if (!context || map.hasImage(name)) return;
  context.scale(RATIO, RATIO);
  paint(context);
  map.addImage(name, context.getImageData(0, 0, canvas.width, canvas.height), { pixelRatio: RATIO });
}

interface Disc {
  fill: string;
  stroke: string;
  dashed?: boolean;
  /** Diameter in pixels. */
  size?: number;
}

/** Adds a disc image: solid, hollow, or hollow and dashed, with a thin outline in the surface color. */
export function addDisc(map: MapLibreMap, name: string, palette: Palette, disc: Disc): void {
  const { fill, stroke, dashed = false, size = 27 } = disc;
  const whole = size + 4;
  draw(map, name, whole, (context) => {
    const center = whole / 2;
    context.beginPath();
    context.arc(center, center, size / 2 + 1.5, 0, Math.PI * 2);
    context.fillStyle = palette.surface;
    context.fill();
    context.beginPath();
    context.arc(center, center, size / 2 - (fill === stroke ? 0 : 1), 0, Math.PI * 2);
    context.fillStyle = fill;
    context.fill();
    if (fill === stroke) return;
    context.lineWidth = 2;
    context.strokeStyle = stroke;
    if (dashed) context.setLineDash([3.2, 2.6]);
    context.stroke();
  });
}

/** Adds an arrow above the center, so that rotating the image moves it around a disc. */
export function addArrow(map: MapLibreMap, name: string, palette: Palette, color: string): void {
  const size = 46;
  draw(map, name, size, (context) => {
    const center = size / 2;
    context.beginPath();
    context.moveTo(center, 0.5);
    context.lineTo(center + 5.5, 9);
    context.lineTo(center - 5.5, 9);
    context.closePath();
    context.lineJoin = 'round';
    context.lineWidth = 1.5;
    context.strokeStyle = palette.surface;
    context.stroke();
    context.fillStyle = color;
    context.fill();
  });
}

/** Adds the pointer of a replay, which shows position and heading. */
export function addPointer(map: MapLibreMap, name: string, palette: Palette): void {
  const size = 30;
  draw(map, name, size, (context) => {
    const center = size / 2;
    context.beginPath();
    context.moveTo(center, 3);
    context.lineTo(center + 9, 25);
    context.lineTo(center, 20);
    context.lineTo(center - 9, 25);
    context.closePath();
    context.lineJoin = 'round';
    context.lineWidth = 3;
    context.strokeStyle = palette.surface;
    context.stroke();
    context.fillStyle = palette.accent;
    context.fill();
  });
}

/** Adds the background of a label; its center stretches with the text. */
export function addPill(map: MapLibreMap, name: string, palette: Palette): void {
  const [width, height] = [32, 22];
  const canvas = document.createElement('canvas');
  canvas.width = width * RATIO;
  canvas.height = height * RATIO;
  const context = canvas.getContext('2d');
  if (!context || map.hasImage(name)) return;
  context.scale(RATIO, RATIO);
  context.beginPath();
  context.roundRect(0.75, 0.75, width - 1.5, height - 1.5, height / 2 - 0.75);
  context.fillStyle = palette.surface;
  context.fill();
  context.lineWidth = 1.5;
  context.strokeStyle = palette.accent;
  context.stroke();
  map.addImage(name, context.getImageData(0, 0, canvas.width, canvas.height), {
    pixelRatio: RATIO,
    stretchX: [[11 * RATIO, 21 * RATIO]],
    stretchY: [[10 * RATIO, 12 * RATIO]],
    content: [10 * RATIO, 4 * RATIO, 22 * RATIO, 18 * RATIO],
  });
}
