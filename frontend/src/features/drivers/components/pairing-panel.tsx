import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { QueryState } from '@/data/query-state';
import { SidePanel } from '@/ui/side-panel';
import type { UnpairedDevice } from '../queries';
import type { useUnpairedDevices } from '../use-unpaired-devices';
import { DeviceCard } from './device-card';
import { LinesSkeleton } from './lines-skeleton';
import { PhoneSetup } from './phone-setup';

interface PairingPanelProps {
  result: ReturnType<typeof useUnpairedDevices>;
  onClose: () => void;
}

/** Devices that wait for a driver, beside the list of drivers, and how to set up another one. */
export function PairingPanel({ result, onClose }: PairingPanelProps) {
  const { t } = useTranslation('drivers');
  return (
    <SidePanel title={t('pairing.title')} subtitle={t('pairing.subtitle')} onClose={onClose}>
      <div className="flex flex-col gap-6">
        <QueryState
          value={result.value}
          error={result.error}
          onRetry={result.retry}
          empty={null}
          loading={<LinesSkeleton />}
        >
          {(devices) => <DeviceList devices={devices} />}
        </QueryState>
        <PhoneSetup />
      </div>
    </SidePanel>
  );
}

function DeviceList({ devices }: { devices: readonly UnpairedDevice[] }) {
  const { t } = useTranslation('drivers');
  const [opened, setOpened] = useState<string>();
  // With one device there is nothing to choose between. It stays open when others come.
  const only = devices.length === 1 ? devices[0]?.uniqueId : undefined;
  if (only !== undefined && opened !== only) setOpened(only);
  if (devices.length === 0) {
    return (
      <p role="status" className="text-sm text-muted">
        {t('pairing.none')}
      </p>
    );
  }
  return (
    <ul
      aria-label={t('pairing.list')}
      className="divide-y divide-line rounded-control border border-line"
    >
      {devices.map((device) => (
        <DeviceCard
          key={device.uniqueId}
          device={device}
          isOpen={device.uniqueId === opened}
          onOpen={() => setOpened(device.uniqueId)}
        />
      ))}
    </ul>
  );
}
