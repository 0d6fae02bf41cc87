import { Link } from 'react-router';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { AnnouncementHeader } from '../components/announcement-header';
import { AnnouncementPageState } from '../components/announcement-page-state';
import { EditAnnouncementForm } from '../components/edit-announcement-form';
import { useAnnouncement } from '../use-announcement';

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
                <Link to={routes.viewAnnouncement({ id })} className="hover:underline">
                  {announcement.title}
                </Link>
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
