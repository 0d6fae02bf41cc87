import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { RecordState } from '@/data/record-state';
import { routes } from '@/routing/routes';
import type { Driver } from '../queries';
import type { useDriver } from '../use-driver';
import { DriverSkeleton } from './driver-skeleton';

interface DriverStateProps {
  driverId: string;
  result: ReturnType<typeof useDriver>;
  children: (driver: Driver) => ReactNode;
}

/** The states of a page about one driver. */
export function DriverState({ driverId, result, children }: DriverStateProps) {
  const { t } = useTranslation('drivers');
  return (
    <RecordState
      result={result}
      loading={<DriverSkeleton />}
      notFound={{
        title: t('view.notFound.title'),
        text: t('view.notFound.text', { driverId }),
        action: t('view.notFound.action'),
        to: routes.drivers(),
      }}
    >
      {children}
    </RecordState>
  );
}
