import { Plus } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import type { FindField, RowActions } from '@/list/resource';
import { ResourceList } from '@/list/resource-list';
import { useNarrowScreen } from '@/list/use-narrow-screen';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { AnnouncementMenu } from '../components/announcement-menu';
import { DeleteAnnouncementDialog } from '../components/delete-announcement-dialog';
import type { AnnouncementRow } from '../queries';
import { announcementsResource } from '../resource';

const find: FindField = { key: 'title', labelKey: 'announcements:fields.title' };

export default function AnnouncementsPage() {
  const { t } = useTranslation('announcements');
  const narrow = useNarrowScreen();
  const [deleting, setDeleting] = useState<AnnouncementRow>();
  const rowActions = useMemo(
    (): RowActions<AnnouncementRow> => ({
      width: 44,
      onCard: 'beside',
      render: (row) => <AnnouncementMenu announcement={row} onDelete={setDeleting} />,
    }),
    [],
  );
  const create = (
    <Button asChild variant="primary" icon={Plus}>
      <Link to={routes.newAnnouncement()}>{t(narrow ? 'createShort' : 'create')}</Link>
    </Button>
  );
  return (
    <PageFrame fill>
      <ResourceList
        resource={announcementsResource}
        find={find}
        rowActions={rowActions}
        editHref={({ id }) => routes.editAnnouncement({ id })}
        action={create}
        emptyAction={create}
      />
      {deleting && (
        <DeleteAnnouncementDialog
          announcement={deleting}
          onClose={() => setDeleting(undefined)}
        />
      )}
    </PageFrame>
  );
}
