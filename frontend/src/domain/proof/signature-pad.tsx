import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';

interface SignaturePadProps {
  onUse: (file: File) => void;
  onCancel: () => void;
}

const WIDTH = 632;
const HEIGHT = 304;
const INK = 'black';

/**
 * A pad for a signature in black ink on white, as it will be printed. Strokes are drawn while the user writes, at twice
 * the displayed resolution.
 */
export default function SignaturePad({ onUse, onCancel }: SignaturePadProps) {
  const { t } = useTranslation(['proof', 'common']);
  const canvas = useRef<HTMLCanvasElement>(null);
  const pen = useRef<{ pointerId: number; at: [number, number] }>(undefined);
  const [isEmpty, setEmpty] = useState(true);

  function clear() {
    const ink = canvas.current?.getContext('2d');
    if (!ink) return;
    ink.fillStyle = 'white';
    ink.fillRect(0, 0, WIDTH, HEIGHT);
    setEmpty(true);
  }
  useEffect(clear, []);

  function pointOf({ nativeEvent: { offsetX, offsetY }, currentTarget }: PointerEvent<Element>) {
    const scaleX = WIDTH / (currentTarget.clientWidth || WIDTH);
    const scaleY = HEIGHT / (currentTarget.clientHeight || HEIGHT);
    return [offsetX * scaleX, offsetY * scaleY] as [number, number];
  }

  function begin(event: PointerEvent<HTMLCanvasElement>) {
    event.preventDefault();
    // A palm or another finger that touches the pad meanwhile must not draw; a stylus draws even if the palm came first.
    if (pen.current && event.pointerType !== 'pen') return;
    event.currentTarget.setPointerCapture?.(event.pointerId);
    pen.current = { pointerId: event.pointerId, at: pointOf(event) };
    draw(event);
  }

  function draw(event: PointerEvent<HTMLCanvasElement>) {
    const ink = event.currentTarget.getContext('2d');
    if (!ink || pen.current?.pointerId !== event.pointerId) return;
    const to = pointOf(event);
    ink.strokeStyle = INK;
    ink.lineWidth = 4.5;
    ink.lineCap = 'round';
    ink.lineJoin = 'round';
    ink.beginPath();
    ink.moveTo(...pen.current.at);
    ink.lineTo(...to);
    ink.stroke();
    pen.current.at = to;
    setEmpty(false);
  }

  function end({ pointerId }: PointerEvent) {
    if (pen.current?.pointerId === pointerId) pen.current = undefined;
  }

  function use() {
    canvas.current?.toBlob((blob) => {
      if (blob) onUse(new File([blob], 'signature.png', { type: 'image/png' }));
    }, 'image/png');
  }

  return (
    <div className="flex flex-col gap-2">
      <canvas
        ref={canvas}
        width={WIDTH}
        height={HEIGHT}
        role="img"
        aria-label={t('signature.label')}
        onPointerDown={begin}
        onPointerMove={draw}
        onPointerUp={end}
        onPointerCancel={end}
        onLostPointerCapture={end}
        className="aspect-[632/304] w-full max-w-[316px] touch-none rounded-control border border-field"
      />
      <p className="text-xs text-muted">{t('signature.pad')}</p>
      <div className="flex flex-wrap gap-2">
        <Button size={28} disabled={isEmpty} onClick={use}>
          {t('signature.use')}
        </Button>
        <Button size={28} variant="quiet" disabled={isEmpty} onClick={clear}>
          {t('signature.clear')}
        </Button>
        <Button size={28} variant="quiet" onClick={onCancel}>
          {t('cancel', { ns: 'common' })}
        </Button>
      </div>
    </div>
  );
}
