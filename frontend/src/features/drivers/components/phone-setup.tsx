import { useId } from 'react';
import { useTranslation } from 'react-i18next';
import { CopyField } from '@/ui/copy-field';

/** Where devices send positions unless somebody configured another port. */
const INGEST_PORT = 5055;

const APPS = ['traccar', 'osmand', 'owntracks'] as const;

/** How a phone becomes a tracker. */
export function PhoneSetup() {
  const { t } = useTranslation('drivers');
  const id = useId();
  const address = `http://${window.location.hostname}:${INGEST_PORT}`;
  return (
    <section aria-labelledby={id} className="flex flex-col gap-3 text-sm">
      <h3 id={id} className="font-semibold">
        {t('setup.title')}
      </h3>
      <p className="text-muted">{t('setup.text')}</p>
      <CopyField label={t('setup.address')} hint={t('setup.port')} text={address} />
      <dl className="flex flex-col gap-2">
        {APPS.map((app) => (
          <div key={app}>
            <dt className="font-medium">{t(`setup.apps.${app}.name`)}</dt>
            <dd className="text-muted wrap-anywhere">{t(`setup.apps.${app}.text`, { address })}</dd>
          </div>
        ))}
      </dl>
      <p className="text-muted">{t('setup.then')}</p>
    </section>
  );
}
