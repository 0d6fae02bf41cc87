import { useTranslation } from 'react-i18next';
import { StateView } from '@/ui/state-view';

/** While it is not known yet who is signed in. */
export function LoadingView() {
  const { t } = useTranslation('common');
  return (
    <main className="flex min-h-dvh flex-col justify-center">
      <StateView kind="loading" title={t('loading')} />
    </main>
  );
}
