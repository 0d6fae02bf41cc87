import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { CreateForm } from '@/form/record-form';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { toast } from '@/ui/toast';
import { NEWLY_MADE } from './driver';
import { driverForm } from './driver-form';
import { createDriverMutation } from './queries';

export default function NewDriverPage() {
  const { t } = useTranslation('drivers');
  const navigate = useNavigate();
  const [, execute] = useMutation(createDriverMutation);
  return (
    <PageFrame>
      <p className="mb-4 max-w-[720px] text-sm text-muted">{t('new.intro')}</p>
      <CreateForm
        label={t('new.create')}
        busyLabel={t('new.creating')}
        definition={driverForm}
        create={(input) => execute({ input })}
        onCreated={({ createDriver: { driverId, name } }) => {
          toast.success(t('new.done', { name }));
          return () => navigate(routes.viewDriver({ driverId }), { state: NEWLY_MADE });
        }}
        cancelTo={routes.drivers()}
      />
    </PageFrame>
  );
}
