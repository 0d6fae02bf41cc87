import { useForm, type UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useTimeZone } from '@/data/use-time-zone';
import { PageForm } from '@/form/page-form';
import { useBase, useSave } from '@/form/use-save';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { toast } from '@/ui/toast';
import { AnnouncementHeader, AnnouncementPageState, useAnnouncement } from './announcement';
import {
  ANNOUNCEMENT_FIELDS,
  AnnouncementFields,
  announcementInput,
  type AnnouncementValues,
  announcementValues,
  useAnnouncementLabels,
} from './announcement-form';
import { type Announcement, announcementVersionQuery, updateAnnouncementMutation } from './queries';

/** Saves an announcement and goes back to its page. */
function useSaveAnnouncement(setError: UseFormSetError<AnnouncementValues>) {
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

interface EditAnnouncementFormProps {
  announcement: Announcement;
  /** Reads the announcement anew. */
  onReload: () => void;
}

function EditAnnouncementForm({ announcement, onReload }: EditAnnouncementFormProps) {
  const { t } = useTranslation('announcements');
  const timeZone = useTimeZone();
  const form = useForm({ defaultValues: announcementValues(announcement, timeZone) });
  const { failure, conflict, save, forget } = useSaveAnnouncement(form.setError);
  const labels = useAnnouncementLabels();
  const [base] = useBase(announcement, form, (row) => announcementValues(row, timeZone));

  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      conflict={conflict}
      onReload={() => {
        forget();
        onReload();
      }}
      onSubmit={(values) => save(base, values)}
      cancelTo={routes.viewAnnouncement({ id: announcement.id })}
      className="max-w-[640px]"
    >
      <AnnouncementFields form={form} />
      <p className="text-xs text-muted">{t('edit.again')}</p>
    </PageForm>
  );
}
