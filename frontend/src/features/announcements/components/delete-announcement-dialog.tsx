import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { toast } from '@/ui/toast';
import { type AnnouncementRow, deleteAnnouncementMutation } from '../queries';

interface DeleteAnnouncementDialogProps {
  announcement: Pick<AnnouncementRow, 'id' | 'title' | 'version'>;
  onDeleted?: () => void;
  onClose: () => void;
}

// Its answer names no type, and the lists have to be read anew.
const context = { additionalTypenames: ['Announcement', 'MyAnnouncement'] };

export function DeleteAnnouncementDialog(props: DeleteAnnouncementDialogProps) {
  const { announcement, onDeleted, onClose } = props;
  const { id, title, version } = announcement;
  const { t } = useTranslation('announcements');
  const [, execute] = useMutation(deleteAnnouncementMutation);

  async function remove(): Promise<string | undefined> {
    const { error } = await execute({ input: { id, version } }, context);
    if (error) return errorText(normalizeError(error));
    toast.success(t('delete.done', { title }));
    onDeleted?.();
    return undefined;
  }

  return (
    <ConfirmDialog
      danger
      title={t('delete.question', { title })}
      text={t('delete.text')}
      confirm={t('delete.verb')}
      busy={t('delete.busy')}
      onConfirm={remove}
      onClose={onClose}
    />
  );
}
