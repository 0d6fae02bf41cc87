import { Pencil, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { AnnouncementFacts } from '../components/announcement-facts';
import { AnnouncementHeader } from '../components/announcement-header';
import { AnnouncementPageState } from '../components/announcement-page-state';
import { AnnouncementPreview } from '../components/announcement-preview';
import { DeleteAnnouncementDialog } from '../components/delete-announcement-dialog';
import { useAnnouncement } from '../use-announcement';

export default function ViewAnnouncementPage() {
  const { t } = useTranslation('announcements');
  const { id } = useRouteParams('viewAnnouncement');
  const navigate = useNavigate();
  const result = useAnnouncement(id);
  const [isDeleting, setDeleting] = useState(false);
  return (
    <PageFrame>
      <AnnouncementPageState result={result}>
        {(announcement) => (
          <>
            <AnnouncementHeader announcement={announcement} title={announcement.title}>
              <div className="ml-auto flex gap-2 max-md:ml-0">
                <Button asChild icon={Pencil}>
                  <Link to={routes.editAnnouncement({ id })}>{t('edit.verb')}</Link>
                </Button>
                <Button variant="danger" icon={Trash2} onClick={() => setDeleting(true)}>
                  {t('delete.verb')}
                </Button>
              </div>
            </AnnouncementHeader>
            <div className="flex flex-col gap-4">
              <AnnouncementFacts announcement={announcement} />
              <AnnouncementPreview key={announcement.version} announcement={announcement} />
            </div>
            {isDeleting && (
              <DeleteAnnouncementDialog
                announcement={announcement}
                onDeleted={() => void navigate(routes.announcements())}
                onClose={() => setDeleting(false)}
              />
            )}
          </>
        )}
      </AnnouncementPageState>
    </PageFrame>
  );
}
