import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { CreateForm } from '@/form/record-form';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { toast } from '@/ui/toast';
import { createSourceMutation } from './queries';
import { sourceForm } from './source';

export default function NewSourcePage() {
  const { t } = useTranslation('sources');
  const navigate = useNavigate();
  const [, execute] = useMutation(createSourceMutation);
  return (
    <PageFrame>
      <p className="mb-4 max-w-[560px] text-sm text-muted">{t('new.intro')}</p>
      <CreateForm
        label={t('new.create')}
        busyLabel={t('new.creating')}
        definition={sourceForm}
        create={(input) => execute({ input })}
        onCreated={({ createSource: { id, name } }) => {
          toast.success(t('new.done', { name }));
          return () => navigate(routes.viewSource({ sourceId: id }));
        }}
        cancelTo={routes.sources()}
      />
    </PageFrame>
  );
}
