import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Navigate } from 'react-router';
import { useMutation } from 'urql';
import { RecordState } from '@/data/query-state';
import { CreateForm, EditForm } from '@/form/record-form';
import { useEventId } from '@/form/use-save';
import { useRecordLink, useRecordNavigate } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import {
  createReportSettingMutation,
  type ReportSetting,
  reportSettingVersionQuery,
  updateReportSettingMutation,
} from './queries';
import { ReportScheduleSection } from './report-schedule';
import { DeleteReportSettingDialog, ReportSettingSkeleton, useReportSetting } from './report-setting';
import { reportSettingForm } from './report-setting-form';
import { NEW_ID } from './report-setting-values';

export default function ReportSettingPage() {
  const { t } = useTranslation('report-settings');
  const { id } = useRouteParams('reportSetting');
  return (
    <PageFrame>
      {id === NEW_ID ? (
        <>
          <h2 className="mb-4 flex min-h-8 items-center text-xl font-semibold">
            {t('new.title')}
          </h2>
          <NewReportSettingForm />
        </>
      ) : (
        <SavedReportSetting key={id} id={id} />
      )}
    </PageFrame>
  );
}

function SavedReportSetting({ id }: { id: string }) {
  const { t } = useTranslation('report-settings');
  const link = useRecordLink();
  const result = useReportSetting(id);
  const [isDeleting, setDeleting] = useState(false);
  const [isDeleted, setDeleted] = useState(false);
  // Removes the form before leaving, so that it does not ask about unsaved changes.
  if (isDeleted) return <Navigate {...link(routes.reportSettings())} />;
  return (
    <RecordState
      result={result}
      loading={<ReportSettingSkeleton />}
      notFound={{
        title: t('notFound.title'),
        text: t('notFound.text'),
        action: t('notFound.action'),
        to: routes.reportSettings(),
      }}
    >
      {(setting) => (
        <>
          <div className="mb-4 flex min-h-8 max-w-[720px] flex-wrap items-center gap-x-3 gap-y-2">
            <h2 dir="auto" className="text-xl font-semibold wrap-anywhere">{setting.name}</h2>
            <StatusChip
              kind="reportSetting"
              status={setting.isActive ? 'active' : 'off'}
              size={24}
            />
            <Button
              variant="danger"
              icon={Trash2}
              className="ms-auto"
              onClick={() => setDeleting(true)}
            >
              {t('delete.verb')}
            </Button>
          </div>
          <EditReportSettingForm setting={setting} onReload={result.retry} />
          <ReportScheduleSection
            id={setting.id}
            name={setting.name}
            format={setting.format}
            isActive={setting.isActive}
          />
          {isDeleting && (
            <DeleteReportSettingDialog
              setting={setting}
              onDeleted={() => setDeleted(true)}
              onClose={() => setDeleting(false)}
            />
          )}
        </>
      )}
    </RecordState>
  );
}

interface EditReportSettingFormProps {
  setting: ReportSetting;
  /** Reloads the report setting. */
  onReload: () => void;
}

function EditReportSettingForm({ setting, onReload }: EditReportSettingFormProps) {
  const { t } = useTranslation('report-settings');
  const navigate = useRecordNavigate();
  const [, execute] = useMutation(updateReportSettingMutation);
  const { id } = setting;
  return (
    <EditForm
      definition={reportSettingForm}
      record={setting}
      versionQuery={reportSettingVersionQuery}
      recordKey={{ id }}
      save={(reportSetting, { version }) => execute({ input: { id, version, reportSetting } })}
      onSaved={(_, { name }) => {
        toast.success(t('edit.done', { name }));
        return () => navigate(routes.reportSettings());
      }}
      onReload={onReload}
      cancelTo={routes.reportSettings()}
    />
  );
}

function NewReportSettingForm() {
  const { t } = useTranslation('report-settings');
  const navigate = useRecordNavigate();
  const [, execute] = useMutation(createReportSettingMutation);
  const creationId = useEventId();
  return (
    <CreateForm
      label={t('new.create')}
      busyLabel={t('new.creating')}
      definition={reportSettingForm}
      create={(reportSetting) => execute({ input: { reportSetting, creationId: creationId(reportSetting) } })}
      onCreated={({ createReportSetting: { name } }) => {
        toast.success(t('new.done', { name }));
        return () => navigate(routes.reportSettings());
      }}
      cancelTo={routes.reportSettings()}
    />
  );
}
