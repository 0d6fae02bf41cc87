import { useTranslation } from 'react-i18next';
import { RecordState } from '@/data/record-state';
import { useRecord } from '@/data/use-record';
import { LOGO_SETTING_ID } from '@/logo/logo-value';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { LogoForm } from '../components/logo-form';
import { LogoSkeleton } from '../components/logo-skeleton';
import { logoSettingQuery } from '../queries';

export default function EditLogoPage() {
  const { t } = useTranslation('logo');
  const result = useRecord({
    document: logoSettingQuery,
    variables: { id: LOGO_SETTING_ID },
    typenames: ['SystemSetting'],
    read: ({ setting }) => setting,
  });
  return (
    <PageFrame>
      <RecordState
        result={result}
        loading={<LogoSkeleton />}
        notFound={{
          title: t('notFound.title'),
          text: t('notFound.text'),
          action: t('notFound.action'),
          to: routes.adminSystemSettings(),
        }}
      >
        {(setting) => <LogoForm setting={setting} onReload={result.retry} />}
      </RecordState>
    </PageFrame>
  );
}
