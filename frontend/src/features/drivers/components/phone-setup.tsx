import { Suspense, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useAuth } from '@/auth/use-auth';
import { newUuid } from '@/lib/uuid';
import { CopyField } from '@/ui/copy-field';
import { lazyPart } from '@/ui/lazy-part';
import { Note } from '@/ui/note';
import { Segmented } from '@/ui/segmented';
import { Skeleton } from '@/ui/skeleton';
import { osmandAddress, trackingAddress } from '../tracking-address';

const QrCode = lazyPart(
  () => import('@/ui/qr-code'),
  () => undefined,
);

const APPS = ['traccar', 'osmand', 'owntracks'] as const;
type App = (typeof APPS)[number];

/** Explains how to make a phone send its positions. */
export function PhoneSetup() {
  const { t } = useTranslation('drivers');
  const id = useId();
  const { currentUser } = useAuth();
  const [app, setApp] = useState<App>('traccar');
  // Anyone who guesses the ID of a device could send positions in its place.
  const [deviceId] = useState(() => newUuid().replaceAll('-', '').slice(0, 16));
  const address = currentUser?.tracking && trackingAddress(currentUser.tracking, window.location);
  const texts: Record<App, string> = {
    traccar: address?.url ?? '',
    osmand: address ? osmandAddress(address.url, deviceId) : '',
    owntracks: address?.url ?? '',
  };
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 text-sm">
      <h3 id={id} className="font-semibold">
        {t('setup.title')}
      </h3>
      {address ? (
        <>
          <p className="text-muted">{t('setup.text')}</p>
          {address.isLocal && <Note tone="info">{t('setup.local')}</Note>}
          <Segmented
            label={t('setup.app')}
            value={app}
            onChange={setApp}
            segments={APPS.map((value) => ({ value, label: t(`setup.apps.${value}.name`) }))}
            className="self-start"
          />
          <p className="text-muted">{t(`setup.apps.${app}.text`)}</p>
          <CopyField label={t('setup.address')} text={texts[app]} />
          {app !== 'osmand' && <CopyField label={t('setup.deviceId')} text={deviceId} />}
          <div data-theme="light" className="size-40 self-center rounded-control bg-surface p-2">
            <Suspense fallback={<Skeleton className="size-full" />}>
              <QrCode text={texts[app]} label={t('setup.code')} />
            </Suspense>
          </div>
          <p className="text-muted">{t('setup.then')}</p>
        </>
      ) : (
        <p className="text-muted">{t('setup.off')}</p>
      )}
    </section>
  );
}
