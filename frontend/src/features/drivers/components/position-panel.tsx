import { MapPin } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatPoint } from '@/proof/place';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import { Panel, PanelHead } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import type { Driver } from '../queries';

/** Where the driver was last, and the way to the map. */
export function PositionPanel({ driver }: { driver: Driver }) {
  const { t } = useTranslation(['drivers', 'common']);
  const titleId = useId();
  const { driverId, lastPosition: position, lastSeenAt, onlineState } = driver;
  const none = t('none', { ns: 'common' });
  return (
    <Panel aria-labelledby={titleId}>
      <PanelHead
        id={titleId}
        title={t('position.title')}
        tools={<StatusChip kind="online" status={onlineState} />}
      />
      <div className="flex flex-col items-start gap-3 px-4 pb-4">
        {position ? (
          <>
            <Facts columns={2} className="w-full grid-cols-2">
              <Fact
                wide
                label={t('position.place')}
                value={
                  <span className="tabular-nums">
                    {formatPoint({ ...position, accuracy: position.accuracyM })}
                  </span>
                }
              />
              <Fact
                label={t('position.occurredAt')}
                value={<DateTime instant={position.occurredAt} show="ago" />}
              />
              <Fact
                label={t('fields.lastSeenAt')}
                value={lastSeenAt && <DateTime instant={lastSeenAt} show="ago" />}
                empty={none}
              />
              <Fact
                label={t('position.speed')}
                value={
                  position.speedKmh === null
                    ? null
                    : t('position.kmh', { speed: Math.round(position.speedKmh) })
                }
                empty={none}
              />
              <Fact
                label={t('position.battery')}
                value={
                  position.batteryPct === null
                    ? null
                    : t(position.charging ? 'position.charging' : 'position.percent', {
                        percent: Math.round(position.batteryPct),
                      })
                }
                empty={none}
              />
              <Fact
                label={t('position.provider')}
                value={t(`providers.${position.provider}`, { defaultValue: position.provider })}
              />
            </Facts>
            <Button asChild icon={MapPin}>
              <Link to={routes.driverTracker({ driverId })}>{t('position.track')}</Link>
            </Button>
          </>
        ) : (
          <p className="text-sm text-muted">{t('position.never')}</p>
        )}
      </div>
    </Panel>
  );
}
