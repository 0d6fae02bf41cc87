import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { EditForm } from '@/form/record-form';
import { RecordLink, useRecordNavigate } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { toast } from '@/ui/toast';
import { AnnouncementHeader, AnnouncementPageState, useAnnouncement } from './announcement';
import { announcementForm } from './announcement-form';
import { type Announcement, announcementVersionQuery, updateAnnouncementMutation } from './queries';

export default function EditAnnouncementPage() {
  const { id } = useRouteParams('editAnnouncement');
  const result = useAnnouncement(id);
  return (
    <PageFrame>
      <AnnouncementPageState result={result}>
        {(announcement) => (
          <>
            <AnnouncementHeader
              announcement={announcement}
              title={
                <RecordLink to={routes.viewAnnouncement({ id })} className="hover:underline">
                  {announcement.title}
                </RecordLink>
              }
            />
            <EditAnnouncementForm
              key={announcement.id}
              announcement={announcement}
              onReload={result.retry}
            />
          </>
        )}
      </AnnouncementPageState>
    </PageFrame>
  );
}

interface EditAnnouncementFormProps {
  announcement: Announcement;
  /** Reloads the announcement. */
  onReload: () => void;
}

function EditAnnouncementForm({ announcement, onReload }: EditAnnouncementFormProps) {
  const { t } = useTranslation('announcements');
  const navigate = useRecordNavigate();
  const [, execute] = useMutation(updateAnnouncementMutation);
  const { id } = announcement;
  return (
    <EditForm
      definition={announcementForm}
      record={announcement}
      versionQuery={announcementVersionQuery}
      recordKey={{ id }}
      save={(input, { version }) => execute({ input: { id, version, announcement: input } })}
      onSaved={(_, { title }) => {
        toast.success(t('edit.done', { title }));
        return () => navigate(routes.viewAnnouncement({ id }));
      }}
      onReload={onReload}
      cancelTo={routes.viewAnnouncement({ id })}
      note={t('edit.again')}
    />
  );
}
