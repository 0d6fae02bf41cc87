import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { CreateForm } from '@/form/record-form';
import { useEventId } from '@/form/use-save';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { toast } from '@/ui/toast';
import { announcementForm } from './announcement-form';
import { createAnnouncementMutation } from './queries';

export default function NewAnnouncementPage() {
  const { t } = useTranslation('announcements');
  const navigate = useNavigate();
  const [, execute] = useMutation(createAnnouncementMutation);
  const creationId = useEventId();
  return (
    <PageFrame>
      <CreateForm
        label={t('new.create')}
        busyLabel={t('new.creating')}
        definition={announcementForm}
        create={(announcement) => execute({ input: { announcement, creationId: creationId(announcement) } })}
        onCreated={({ createAnnouncement: { id, title } }) => {
          toast.success(t('new.done', { title }));
          return () => navigate(routes.viewAnnouncement({ id }));
        }}
        cancelTo={routes.announcements()}
      />
    </PageFrame>
  );
}
