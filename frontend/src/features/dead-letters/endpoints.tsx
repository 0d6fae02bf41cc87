import { KeyRound, Pencil, Plus, Send, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { type AppError, errorText, normalizeError } from '@/data/errors';
import { CellLoading, QueryFailure, StaleRecordNote } from '@/data/query-state';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { CheckboxField } from '@/form/choice-fields';
import { TextField } from '@/form/fields';
import { FormDialog } from '@/form/form-dialog';
import { atMost } from '@/form/limits';
import { showFieldErrors } from '@/form/use-save';
import { useNameOf } from '@/i18n/texts';
import { Button } from '@/ui/button';
import { CheckboxCard, CheckboxCardGroup } from '@/ui/checkbox';
import { ConfirmDialog } from '@/ui/dialog';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { Note } from '@/ui/note';
import { StateView } from '@/ui/state-view';
import { type EndpointState, StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import { pageHeading, useFocusFallback } from '@/ui/use-focus-fallback';
import { POLL_INTERVAL_MS, SENT_METHODS } from './dead-letter-list';
import { Producers, SecretDialog } from './producers';
import {
  deleteEndpointMutation,
  type Endpoint,
  endpointsQuery,
  resumeEndpointMutation,
  rotateSecretMutation,
  saveEndpointMutation,
  type Source,
  testEndpointMutation,
} from './queries';

const context = { additionalTypenames: ['OutboundEndpoint', 'DeadLetter'] };

type Open =
  | { what: 'form'; endpoint?: Endpoint }
  | { what: 'rotate' | 'delete'; endpoint: Endpoint }
  | { what: 'secret'; secret: string };

/** Reads the endpoints and their sources, and polls, because an endpoint pauses without anybody's action. */
export function useEndpoints() {
  const result = useRecord({
    document: endpointsQuery,
    variables: {},
    typenames: ['OutboundEndpoint', 'DeadLetter'],
    read: (data) => data,
  });
  usePolling(result.refresh, POLL_INTERVAL_MS);
  return result;
}

/** Endpoints that outcomes are sent to, with their actions. */
export function Endpoints() {
  const { t } = useTranslation('dead-letters');
  const { value, error, status, retry } = useEndpoints();
  const [, rotate] = useMutation(rotateSecretMutation);
  const [, remove] = useMutation(deleteEndpointMutation);
  const [open, setOpen] = useState<Open>();
  const endpoints = value?.outboundEndpoints;
  const sources = value?.sources ?? [];
  const close = () => setOpen(undefined);
  // When the confirmation closes, the dialog with the new secret may already have replaced it.
  const closeQuestion = () => setOpen((now) => (now?.what === 'rotate' ? undefined : now));
  const create = (
    <Button variant="primary" icon={Plus} onClick={() => setOpen({ what: 'form' })}>
      {t('endpoint.create')}
    </Button>
  );

  async function rotateOf({ id, version }: Endpoint) {
    const answer = await rotate({ id, version }, context);
    if (answer.error) return errorText(normalizeError(answer.error));
    const secret = answer.data?.rotateOutboundSecret.secret;
    if (secret) setOpen({ what: 'secret', secret });
    return undefined;
  }

  async function removeOf({ id, version, name }: Endpoint) {
    const answer = await remove({ id, version }, context);
    if (answer.error) return errorText(normalizeError(answer.error));
    toast.success(t('endpoint.deleted', { name }));
    return undefined;
  }

  return (
    <div className="flex flex-col gap-4">
      <PausedNotes endpoints={endpoints ?? []} />
      {endpoints && error && <StaleRecordNote onRetry={retry} />}
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-muted">{t('endpoint.intro')}</p>
        {endpoints && endpoints.length > 0 && create}
      </div>
      {!endpoints && !error && <CellLoading />}
      {!endpoints && error && (
        <Panel>
          <QueryFailure
            error={normalizeError(error)}
            isRetrying={status === 'refetch'}
            onRetry={retry}
          />
        </Panel>
      )}
      {endpoints?.length === 0 && (
        <Panel>
          <StateView
            kind="empty"
            title={t('endpoint.empty.title')}
            text={t('endpoint.empty.text')}
            actions={create}
          />
        </Panel>
      )}
      {endpoints?.map((endpoint) => (
        <EndpointCard
          key={endpoint.id}
          endpoint={endpoint}
          sources={sources}
          onEdit={() => setOpen({ what: 'form', endpoint })}
          onRotate={() => setOpen({ what: 'rotate', endpoint })}
          onDelete={() => setOpen({ what: 'delete', endpoint })}
        />
      ))}
      {endpoints && <Producers endpoints={endpoints} />}
      {open?.what === 'form' && (
        <EndpointDialog
          endpoint={open.endpoint}
          sources={sources}
          onSaved={(secret) => setOpen(secret ? { what: 'secret', secret } : undefined)}
          onClose={close}
        />
      )}
      {open?.what === 'secret' && <SecretDialog secret={open.secret} onClose={close} />}
      {open?.what === 'rotate' && (
        <ConfirmDialog
          title={t('endpoint.rotateQuestion', { name: open.endpoint.name })}
          text={t('endpoint.rotateText')}
          confirm={t('endpoint.rotate')}
          busy={t('endpoint.rotating')}
          onConfirm={() => rotateOf(open.endpoint)}
          onClose={closeQuestion}
        />
      )}
      {open?.what === 'delete' && (
        <ConfirmDialog
          danger
          title={t('endpoint.deleteQuestion', { name: open.endpoint.name })}
          text={t('endpoint.deleteText')}
          confirm={t('endpoint.delete')}
          busy={t('endpoint.deleting')}
          onConfirm={() => removeOf(open.endpoint)}
          onClose={close}
        />
      )}
    </div>
  );
}

interface EndpointCardProps {
  endpoint: Endpoint;
  sources: readonly Source[];
  onEdit: () => void;
  onRotate: () => void;
  onDelete: () => void;
}

function stateOf({ isActive, pausedAt }: Endpoint): EndpointState {
  if (!isActive) return 'off';
  return pausedAt === null ? 'active' : 'paused';
}

/** Ids of the endpoint's sources that are not among the listed ones, which are limited in number. */
function unlisted(endpoint: Endpoint | undefined, sources: readonly Source[]) {
  return (endpoint?.sourceIds ?? []).filter((id) => !sources.some((source) => source.id === id));
}

function EndpointCard(props: EndpointCardProps) {
  const { endpoint, sources, onEdit, onRotate, onDelete } = props;
  const { id, name, url, methods, sourceIds, failuresInRow, secretRotatedAt } = endpoint;
  const { t } = useTranslation('dead-letters');
  const nameOf = useNameOf();
  const [, test] = useMutation(testEndpointMutation);
  const [isTesting, setTesting] = useState(false);
  const [result, setResult] = useState<{ ok: boolean; text: string }>();

  async function run() {
    if (isTesting) return;
    setTesting(true);
    setResult(undefined);
    const { data, error } = await test({ id });
    setTesting(false);
    const answer = data?.testOutboundEndpoint;
    if (!answer) setResult({ ok: false, text: errorText(normalizeError(error)) });
    else if (answer.error) setResult({ ok: false, text: answer.error });
    else setResult({ ok: true, text: t('test.done', { status: answer.status, ms: answer.ms }) });
  }

  const named = sources.filter((source) => sourceIds.includes(source.id)).map((source) => source.name);
  const unnamed = unlisted(endpoint, sources).length;
  const chosen = [...named, ...(unnamed > 0 ? [t('endpoint.otherSources', { count: unnamed })] : [])];
  return (
    <Panel aria-labelledby={`endpoint-${id}`}>
      <PanelHead
        id={`endpoint-${id}`}
        title={name}
        note={<StatusChip kind="endpoint" status={stateOf(endpoint)} />}
        line
      />
      <div className="flex flex-col gap-3 p-4">
        <div className="flex flex-wrap gap-2">
          <Button icon={Send} aria-disabled={isTesting || undefined} onClick={() => void run()}>
            {t(isTesting ? 'test.running' : 'test.send')}
          </Button>
          <Button icon={KeyRound} onClick={onRotate}>
            {t('endpoint.rotate')}
          </Button>
          <Button icon={Pencil} onClick={onEdit}>
            {t('endpoint.edit')}
          </Button>
          <Button variant="danger" icon={Trash2} onClick={onDelete}>
            {t('endpoint.delete')}
          </Button>
        </div>
        {result && (
          <Note tone={result.ok ? 'ok' : 'bad'} role={result.ok ? 'status' : 'alert'}>
            {result.text}
          </Note>
        )}
        <Facts columns={4}>
          <Fact label={t('fields.url')} value={url} wide />
          <Fact
            label={t('fields.methods')}
            value={methods.map((method) => nameOf('dead-letters:methods', method)).join(', ')}
            wide
          />
          <Fact label={t('fields.sources')} value={chosen.join(', ')} empty={t('endpoint.allSources')} />
          <Fact label={t('fields.failuresInRow')} value={failuresInRow} />
          <Fact label={t('fields.secretRotatedAt')} value={<DateTime instant={secretRotatedAt} />} />
        </Facts>
      </div>
    </Panel>
  );
}

interface EndpointDialogProps {
  endpoint: Endpoint | undefined;
  sources: readonly Source[];
  /** Receives the secret of a new endpoint. */
  onSaved: (secret: string | null | undefined) => void;
  onClose: () => void;
}

interface Values {
  name: string;
  url: string;
  methods: string[];
  sourceIds: string[];
  isActive: boolean;
}

const FIELDS = ['name', 'url', 'methods', 'sourceIds', 'isActive'] as const;
const NAME_LENGTH = 100;
const URL_LENGTH = 500;
const endpointContext = { additionalTypenames: ['OutboundEndpoint'] };

/** Creates or edits an endpoint. */
function EndpointDialog({ endpoint, onSaved, onClose, ...props }: EndpointDialogProps) {
  const { t } = useTranslation(['dead-letters', 'common']);
  const nameOf = useNameOf();
  const [, execute] = useMutation(saveEndpointMutation);
  const [failure, setFailure] = useState<AppError>();
  // Fixed while the dialog is open: a list that is read again may contain other sources.
  const [sources] = useState(props.sources);
  // These have no checkbox, so the form would drop them, and an endpoint without sources gets those of all.
  const hidden = unlisted(endpoint, sources);
  const form = useForm<Values>({
    defaultValues: {
      name: endpoint?.name ?? '',
      url: endpoint?.url ?? '',
      methods: endpoint ? [...endpoint.methods] : [...SENT_METHODS],
      sourceIds: endpoint?.sourceIds.filter((id) => !hidden.includes(id)) ?? [],
      isActive: endpoint?.isActive ?? true,
    },
  });
  const { register, setError } = form;
  const { errors } = form.formState;
  const labels = {
    name: t('fields.name'),
    url: t('fields.url'),
    methods: t('fields.methods'),
    sourceIds: t('fields.sources'),
    isActive: t('fields.isActive'),
  };

  async function save(values: Values) {
    setFailure(undefined);
    const own = endpoint && { id: endpoint.id, version: endpoint.version };
    const input = { ...own, ...values, sourceIds: [...values.sourceIds, ...hidden] };
    const { data, error } = await execute({ input }, endpointContext);
    if (data) {
      toast.success(t('endpoint.saved', { name: data.saveOutboundEndpoint.name }));
      onSaved(data.saveOutboundEndpoint.secret);
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors(failed, FIELDS, setError);
  }

  return (
    <FormDialog
      title={endpoint ? t('endpoint.editTitle', { name: endpoint.name }) : t('endpoint.create')}
      width={640}
      form={form}
      labels={labels}
      submit={endpoint ? t('save', { ns: 'common' }) : t('endpoint.create')}
      busy={t('endpoint.saving')}
      failure={failure}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField
        {...register('name', { required: true, validate: atMost(NAME_LENGTH) })}
        autoComplete="off"
        label={labels.name}
        error={errors.name}
      />
      <TextField
        {...register('url', { required: true, validate: atMost(URL_LENGTH) })}
        autoComplete="off"
        inputMode="url"
        label={labels.url}
        hint={t('endpoint.urlHint')}
        error={errors.url}
      />
      <CheckboxCardGroup
        legend={labels.methods}
        error={errors.methods && (errors.methods.message || t('endpoint.chooseMethod'))}
      >
        {SENT_METHODS.map((method) => (
          <CheckboxCard
            key={method}
            {...register('methods', { validate: (chosen) => chosen.length > 0 })}
            value={method}
            label={nameOf('dead-letters:methods', method)}
            text={t(`methodTexts.${method}`)}
          />
        ))}
      </CheckboxCardGroup>
      {sources.length > 0 && (
        <CheckboxCardGroup
          legend={labels.sourceIds}
          hint={
            hidden.length > 0
              ? t('endpoint.otherSourcesKept', { count: hidden.length })
              : t('endpoint.sourcesHint')
          }
        >
          {sources.map(({ id, name }) => (
            <CheckboxCard key={id} {...register('sourceIds')} value={id} label={name} text="" />
          ))}
        </CheckboxCardGroup>
      )}
      <CheckboxField
        {...register('isActive')}
        isSwitch
        label={labels.isActive}
        hint={t('endpoint.activeHint')}
      />
    </FormDialog>
  );
}

/** Warns about paused endpoints, which receive nothing until they are resumed. */
export function PausedNotes({ endpoints }: { endpoints: readonly Endpoint[] }) {
  const { t } = useTranslation('dead-letters');
  const [, resume] = useMutation(resumeEndpointMutation);
  const paused = endpoints.filter(({ pausedAt }) => pausedAt !== null);
  const box = useFocusFallback<HTMLDivElement>(pageHeading);

  async function run(id: string, name: string) {
    const { error } = await resume({ id });
    if (error) toast.error(errorText(normalizeError(error)));
    else toast.success(t('endpoint.resumed', { name }));
  }

  return (
    <div ref={box} className="contents">
      {paused.map(({ id, name, pausedAt, failuresInRow }) => (
        <Note
          key={id}
          tone="warn"
          title={t('endpoint.pausedTitle', { name })}
          action={<Button onClick={() => void run(id, name)}>{t('endpoint.resume')}</Button>}
        >
          {t('endpoint.pausedText', { count: failuresInRow })}{' '}
          {pausedAt && <DateTime instant={pausedAt} />}
        </Note>
      ))}
    </div>
  );
}
