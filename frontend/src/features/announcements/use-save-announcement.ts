import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useTimeZone } from '@/data/use-time-zone';
import { useSave } from '@/form/use-save';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { ANNOUNCEMENT_FIELDS, announcementInput, type AnnouncementValues } from './announcement-values';
import { type Announcement, announcementVersionQuery, updateAnnouncementMutation } from './queries';

/** Saves an announcement and goes back to its page. */
export function useSaveAnnouncement(setError: UseFormSetError<AnnouncementValues>) {
  const { t } = useTranslation('announcements');
  const navigate = useNavigate();
  const timeZone = useTimeZone();
  const [, execute] = useMutation(updateAnnouncementMutation);
  const { attempt, ...saving } = useSave({
    versionQuery: announcementVersionQuery,
    fields: ANNOUNCEMENT_FIELDS,
    setError,
  });

  /** `base` is what the fields were filled from. */
  function save(base: Announcement, values: AnnouncementValues) {
    const { id, version } = base;
    const announcement = announcementInput(values, timeZone, base);
    return attempt({
      key: { id },
      version,
      send: () => execute({ input: { id, version, announcement } }),
      onSaved: async () => {
        toast.success(t('edit.done', { title: announcement.title }));
        await navigate(routes.viewAnnouncement({ id }));
      },
    });
  }

  return { ...saving, save };
}
