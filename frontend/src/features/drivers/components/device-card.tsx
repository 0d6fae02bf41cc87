import { Smartphone } from 'lucide-react';
import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { formatPoint } from '@/proof/place';
import { Button } from '@/ui/button';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts } from '@/ui/facts';
import type { UnpairedDevice } from '../queries';
import { PairForm } from './pair-form';

interface DeviceCardProps {
  device: UnpairedDevice;
  /** Its driver is being asked for. */
  isOpen: boolean;
  onOpen: () => void;
}

/** A device that belongs to nobody: what is known of it, and who shall have it. */
export function DeviceCard({ device, isOpen, onOpen }: DeviceCardProps) {
  const { t } = useTranslation(['drivers', 'common']);
  const titleId = useId();
  const { uniqueId, provider, lastPosition: position } = device;
  return (
    <li aria-labelledby={titleId} className="flex flex-col gap-3 px-4 py-3">
      <div className="flex items-center gap-2">
        <Smartphone aria-hidden className="size-4 shrink-0 text-muted" />
        <h3 id={titleId} className="min-w-0 flex-1 text-sm font-semibold wrap-anywhere">
          {uniqueId}
        </h3>
        {!isOpen && (
          <Button size={28} aria-label={t('pairing.pairOf', { uniqueId })} onClick={onOpen}>
            {t('pairing.pair')}
          </Button>
        )}
      </div>
      <Facts columns={2} className="grid-cols-2">
        <Fact label={t('fields.lastSeenAt')} value={<DateTime instant={device.lastSeenAt} show="ago" />} />
        <Fact label={t('pairing.firstSeen')} value={<DateTime instant={device.firstSeenAt} show="ago" />} />
        <Fact
          label={t('position.place')}
          value={
            position && (
              <span className="tabular-nums">
                {formatPoint({ ...position, accuracy: position.accuracyM })}
              </span>
            )
          }
          empty={t('none', { ns: 'common' })}
        />
        <Fact label={t('pairing.positions')} value={formatCount(device.positions)} />
        <Fact
          label={t('position.provider')}
          value={t(`providers.${provider}`, { defaultValue: provider })}
        />
        <Fact label={t('pairing.address')} value={device.address} />
      </Facts>
      {isOpen && <PairForm uniqueId={uniqueId} />}
    </li>
  );
}
