import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatDateValues } from '@/list/date-values';
import { formatCount } from '@/lib/numbers';
import type { DayRange } from '@/lib/dates';
import { STATUS_ORDER } from '@/ui/charts/chart-data';
import { Panel, PanelHead } from '@/ui/panel';
import type { DeliveryStatus } from '@/ui/statuses';
import { daysAddress, type Figures, type Periods } from '../figures';
import { formatChange, formatPercent, formatPoints } from '../format';

interface ComparisonPanelProps {
  figures: Figures;
  periods: Periods;
  timeZone: string;
}

const RATES = ['onTime', 'firstAttempt'] as const;

/** The last seven days against the seven before. */
export function ComparisonPanel({ figures, periods, timeZone }: ComparisonPanelProps) {
  const { t } = useTranslation(['dashboard', 'common']);
  const { week, before } = periods;
  const columns = [
    { id: 'week', range: week },
    { id: 'before', range: before },
  ] as const;
  const statuses: readonly (DeliveryStatus | undefined)[] = [undefined, ...STATUS_ORDER];
  const cell = 'px-3 text-right tabular-nums first:pl-4 last:pr-4';
  const figure = (range: DayRange, status: DeliveryStatus | undefined) => {
    const count = figures.countOf(range, status);
    return (
      <Link to={daysAddress(range, ...(status ? [status] : []))} className="rounded-box text-accent hover:underline">
        {formatCount(count)}
      </Link>
    );
  };
  return (
    <Panel aria-labelledby="comparison" className="overflow-hidden">
      <PanelHead id="comparison" title={t('comparison.title')} />
      <div className="overflow-x-auto">
        <table className="w-full text-sm">
          <caption className="sr-only">{t('comparison.title')}</caption>
          <thead>
            <tr className="h-9 border-y border-line bg-raised text-xs text-muted">
              <th scope="col" className="px-4 text-left font-medium">
                {t('comparison.figure')}
              </th>
              {columns.map(({ id, range }) => (
                <th key={id} scope="col" className={`${cell} font-medium`} data-tip={formatDateValues([range.from, range.to], timeZone)}>
                  {t(`comparison.${id}`)}
                </th>
              ))}
              <th scope="col" className={`${cell} font-medium`}>
                {t('comparison.change')}
              </th>
            </tr>
          </thead>
          <tbody>
            {statuses.map((status) => (
              <tr key={status ?? 'all'} className="h-9 border-b border-line last:border-0">
                <th scope="row" className="px-4 text-left font-normal">
                  {status ? t(`common:status.delivery.${status}`) : t('deliveries')}
                </th>
                {columns.map(({ id, range }) => (
                  <td key={id} className={cell}>
                    {figure(range, status)}
                  </td>
                ))}
                <td className={cell}>{formatChange(figures.countOf(week, status), figures.countOf(before, status))}</td>
              </tr>
            ))}
            {RATES.map((rate) => (
              <tr key={rate} className="h-9 border-b border-line last:border-0">
                <th scope="row" className="px-4 text-left font-normal">
                  {t(rate)}
                </th>
                <td className={cell}>{formatPercent(figures.rates.week[rate])}</td>
                <td className={cell}>{formatPercent(figures.rates.before[rate])}</td>
                <td className={cell}>{formatPoints(figures.rates.week[rate], figures.rates.before[rate])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  );
}
