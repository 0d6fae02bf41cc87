import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatCount, percent } from '@/lib/numbers';
import { type SeriesLook, seriesLook } from '@/ui/charts/chart-data';
import { FillPattern, Swatch } from '@/ui/charts/patterns';
import { Panel, PanelHead } from '@/ui/panel';
import { daysAddress, FAILED, type FailureReason, type Figures, type Periods, reasonAddress } from '../figures';

const MOST = 7;
const BOTH: SeriesLook = { color: 'idle', fill: 'solid' };

const lookOf = (statuses: readonly string[]): SeriesLook =>
  statuses.length > 1 ? BOTH : seriesLook(statuses[0] ?? '', 0, 2);

interface ReasonsPanelProps {
  figures: Figures;
  reasons: readonly FailureReason[];
  periods: Periods;
  className?: string;
}

/** Why deliveries of the last seven days failed, the most frequent reason first. */
export function ReasonsPanel({ figures, reasons, periods: { week }, className }: ReasonsPanelProps) {
  const { t } = useTranslation(['dashboard', 'common']);
  const failed = FAILED.reduce((sum, status) => sum + figures.countOf(week, status), 0);
  const shown = reasons.slice(0, MOST);
  const rest = reasons.slice(MOST).reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(1, ...shown.map(({ count }) => count));
  return (
    <Panel aria-labelledby="reasons" className={className}>
      <PanelHead
        id="reasons"
        title={t('reasons.title')}
        note={
          <Link to={daysAddress(week, ...FAILED)} className="rounded-box text-accent hover:underline">
            {t('reasons.failed', { count: failed, shown: formatCount(failed) })}
          </Link>
        }
      />
      {shown.length === 0 ? (
        <p className="px-4 pt-2 pb-6 text-sm text-muted">{t('reasons.none')}</p>
      ) : (
        <>
          <ul className="flex flex-col gap-3 px-4 pt-1 pb-3">
            {shown.map(({ code, label, count, statuses }, index) => (
              <li key={code}>
                <Link to={reasonAddress(week, code, label, statuses)} className="group block rounded-box text-sm">
                  <span className="flex items-baseline gap-3">
                    <span className="min-w-0 flex-1 truncate group-hover:underline">{label}</span>
                    <span className="font-semibold tabular-nums">{formatCount(count)}</span>
                    <span className="w-9 text-right text-xs text-muted tabular-nums">{percent(count, failed)}%</span>
                  </span>
                  <ReasonBar id={`reason-${index}`} share={count / most} look={lookOf(statuses)} />
                </Link>
              </li>
            ))}
          </ul>
          {rest > 0 && (
            <p className="px-4 pb-3 text-xs text-muted">{t('reasons.others', { count: rest, shown: formatCount(rest) })}</p>
          )}
          <ul className="flex flex-wrap gap-x-4 gap-y-1 px-4 pb-4 text-xs">
            {FAILED.map((status) => (
              <li key={status} className="flex items-center gap-1.5">
                <Swatch id={`reason-key-${status}`} look={lookOf([status])} />
                {t(`common:status.delivery.${status}`)}
              </li>
            ))}
            {shown.some(({ statuses }) => statuses.length > 1) && (
              <li className="flex items-center gap-1.5">
                <Swatch id="reason-key-both" look={BOTH} />
                {t('reasons.both')}
              </li>
            )}
          </ul>
        </>
      )}
    </Panel>
  );
}

function ReasonBar({ id, share, look }: { id: string; share: number; look: SeriesLook }) {
  return (
    <span aria-hidden className="mt-1 block h-1.5 overflow-hidden rounded-full bg-hover">
      <svg width="100%" height="6" className="block">
        <defs>
          <FillPattern id={id} look={look} />
        </defs>
        <rect width={`${Math.max(1, share * 100)}%`} height="6" rx="3" fill={`url(#${id})`} />
      </svg>
    </span>
  );
}
