import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { deliveriesAddress } from '@/analytics/delivery-filters';
import { formatDateTime, formatElapsed } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import type { ListCount } from '@/list/resource';
import { routes } from '@/routing/routes';
import { Panel, PanelHead } from '@/ui/panel';
import type { LateDelivery } from '../queries';
import { attentionFilters } from '../use-attention';

interface LatePanelProps {
  late: readonly LateDelivery[];
  count: ListCount | undefined;
  now: Date;
  timeZone: string;
}

const DAY_MS = 86_400_000;

/** '34 min', '5 h 10 min', '3 d' */
function formatLate(ms: number): string {
  return ms >= DAY_MS ? `${Math.floor(ms / DAY_MS)} d` : formatElapsed(Math.floor(ms / 60_000) * 60_000);
}

/** The deliveries that are late the longest, and who drives them. */
export function LatePanel({ late, count, now, timeZone }: LatePanelProps) {
  const { t } = useTranslation(['dashboard', 'common', 'deliveries']);
  const head = 'px-3 font-medium first:pl-4 last:pr-4';
  const cell = 'px-3 first:pl-4 last:pr-4';
  return (
    <Panel aria-labelledby="late" className="overflow-hidden">
      <PanelHead
        id="late"
        title={t('late.title')}
        note={t('late.note')}
        tools={
          count &&
          count.total > 0 && (
            <Link to={deliveriesAddress(attentionFilters.late)} className="rounded-box text-sm text-accent hover:underline">
              {t('late.all', { shown: `${formatCount(count.total)}${count.exact ? '' : '+'}` })}
            </Link>
          )
        }
      />
      {late.length === 0 ? (
        <p className="px-4 pt-2 pb-6 text-sm text-muted">{t('late.none')}</p>
      ) : (
        // A region that scrolls must be reachable by keys.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        <div role="group" aria-label={t('late.title')} tabIndex={0} className="overflow-x-auto focus-visible:-outline-offset-2">
          <table className="w-full text-sm">
            <caption className="sr-only">{t('late.title')}</caption>
            <thead>
              <tr className="h-9 border-y border-line bg-raised text-left text-xs whitespace-nowrap text-muted">
                <th scope="col" className={head}>
                  {t('deliveries:fields.id')}
                </th>
                <th scope="col" className={head}>
                  {t('deliveries:fields.customername')}
                </th>
                <th scope="col" className={head}>
                  {t('late.driver')}
                </th>
                <th scope="col" className={`${head} text-right`}>
                  {t('late.by')}
                </th>
                <th scope="col" className={`${head} max-2xl:hidden`}>
                  {t('late.due')}
                </th>
              </tr>
            </thead>
            <tbody>
              {late.map(({ id, customername, scheduledatetime, timeWindowEnd, driver, driverId }) => {
                const due = timeWindowEnd ?? scheduledatetime;
                return (
                  <tr key={id} className="h-9 border-b border-line whitespace-nowrap last:border-0">
                    <td className={cell}>
                      <Link to={routes.viewDelivery({ deliveryId: id })} className="rounded-box text-accent hover:underline">
                        {id}
                      </Link>
                    </td>
                    <td className={`${cell} max-w-44 truncate`}>{customername}</td>
                    <td className={`${cell} max-w-36 truncate`}>
                      {driverId ? (
                        <Link to={routes.viewDriver({ driverId })} className="rounded-box text-accent hover:underline">
                          {driver?.name ?? driverId}
                        </Link>
                      ) : (
                        <span className="text-muted">{t('common:unassigned')}</span>
                      )}
                    </td>
                    <td data-tip={formatDateTime(due, timeZone)} className={`${cell} text-right font-medium text-bad tabular-nums`}>
                      {formatLate(now.getTime() - Date.parse(due))}
                    </td>
                    <td className={`${cell} tabular-nums max-2xl:hidden`}>{formatDateTime(due, timeZone)}</td>
                  </tr>
                );
              })}
            </tbody>
          </table>
        </div>
      )}
    </Panel>
  );
}
