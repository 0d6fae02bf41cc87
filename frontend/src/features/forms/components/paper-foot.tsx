import { lazy, Suspense } from 'react';
import { cn } from '@/ui/cn';
import type { FormDescription } from '../queries';

const QrCode = lazy(() => import('@/ui/qr-code'));

/** How whoever holds the paper can tell that it is what was issued. */
export function PaperFoot({ description }: { description: FormDescription }) {
  const { url, qrCode, checks } = description;
  return (
    <footer className="mt-auto flex break-inside-avoid items-center gap-4 border-t border-fg pt-3">
      <div data-qr className="size-24 shrink-0">
        <Suspense fallback={<span data-loading />}>
          <QrCode text={url} label={qrCode} />
        </Suspense>
      </div>
      <div className="min-w-0 text-xs leading-5">
        {checks.map(({ label, value, strong }) => (
          <p key={label} className="wrap-anywhere">
            {label} <bdi className={cn('tabular-nums', strong && 'font-semibold')}>{value}</bdi>
          </p>
        ))}
      </div>
    </footer>
  );
}
