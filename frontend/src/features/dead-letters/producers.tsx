import { KeyRound, Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation, useQuery } from 'urql';
import { type AppError, errorText, normalizeError } from '@/data/errors';
import { CellLoading, QueryFailure } from '@/data/query-state';
import { CheckboxField } from '@/form/choice-fields';
import { SelectField, TextField } from '@/form/fields';
import { FormDialog } from '@/form/form-dialog';
import { atMost } from '@/form/limits';
import { showFieldErrors } from '@/form/use-save';
import { Button } from '@/ui/button';
import { ConfirmDialog, Dialog, DialogContent } from '@/ui/dialog';
import { CopyField } from '@/ui/copy-field';
import { DateTime } from '@/ui/date-time';
import { Fact, Facts, Panel, PanelHead } from '@/ui/panel';
import { StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import {
  deleteProducerMutation,
  type Endpoint,
  type Producer,
  producersQuery,
  rotateTokenMutation,
  saveProducerMutation,
} from './queries';

const context = { additionalTypenames: ['DeadLetterProducer'] };

type Open =
  | { what: 'form'; producer?: Producer }
  | { what: 'rotate' | 'delete'; producer: Producer }
  | { what: 'token'; token: string };

/** Other systems that report their dead letters, with their actions. */
export function Producers({ endpoints }: { endpoints: readonly Endpoint[] }) {
  const { t } = useTranslation('dead-letters');
  const [{ data, error, fetching }, execute] = useQuery({
    query: producersQuery,
    requestPolicy: 'cache-and-network',
    context,
  });
  const [, rotate] = useMutation(rotateTokenMutation);
  const [, remove] = useMutation(deleteProducerMutation);
  const [open, setOpen] = useState<Open>();
  const producers = data?.deadLetterProducers;
  const close = () => setOpen(undefined);
  // When the confirmation closes, the dialog with the new token may already have replaced it.
  const closeQuestion = () => setOpen((now) => (now?.what === 'rotate' ? undefined : now));

  async function rotateOf({ id, version }: Producer) {
    const answer = await rotate({ id, version }, context);
    if (answer.error) return errorText(normalizeError(answer.error));
    const token = answer.data?.rotateDeadLetterProducerToken.token;
    if (token) setOpen({ what: 'token', token });
    return undefined;
  }

  async function removeOf({ id, version, name }: Producer) {
    const answer = await remove({ id, version }, context);
    if (answer.error) return errorText(normalizeError(answer.error));
    toast.success(t('endpoint.deleted', { name }));
    return undefined;
  }

  return (
    <Panel aria-labelledby="producers">
      <PanelHead id="producers" title={t('producer.title')} note={t('producer.note')} line />
      <div className="flex flex-col gap-4 p-4">
        {!producers && !error && <CellLoading />}
        {!producers && error && (
          <QueryFailure
            error={normalizeError(error)}
            isRetrying={fetching}
            onRetry={() => execute({ requestPolicy: 'network-only' })}
          />
        )}
        {producers?.length === 0 && <p className="text-sm text-muted">{t('producer.empty')}</p>}
        {producers && producers.length > 0 && (
          <ul className="flex flex-col gap-4">
            {producers.map((producer) => (
              <li key={producer.id} className="rounded-control border border-line p-4">
                <div className="mb-3 flex flex-wrap items-center gap-2">
                  <h3 dir="auto" className="font-medium wrap-anywhere">{producer.name}</h3>
                  <StatusChip kind="endpoint" status={producer.isActive ? 'active' : 'off'} />
                  <div className="ms-auto flex flex-wrap gap-2 max-md:ms-0">
                    <Button icon={KeyRound} onClick={() => setOpen({ what: 'rotate', producer })}>
                      {t('producer.rotate')}
                    </Button>
                    <Button icon={Pencil} onClick={() => setOpen({ what: 'form', producer })}>
                      {t('endpoint.edit')}
                    </Button>
                    <Button variant="danger" icon={Trash2} onClick={() => setOpen({ what: 'delete', producer })}>
                      {t('endpoint.delete')}
                    </Button>
                  </div>
                </div>
                <Facts columns={4}>
                  <Fact label={t('producer.resendsTo')} value={producer.endpointName} empty={t('noEndpoint')} />
                  <Fact label={t('producer.tokenMadeAt')} value={<DateTime instant={producer.tokenMadeAt} />} />
                  <Fact label={t('producer.subject')} value={producer.subject} wide />
                </Facts>
              </li>
            ))}
          </ul>
        )}
        {producers && (
          <Button
            icon={Plus}
            className="self-start"
            aria-disabled={endpoints.length === 0 || undefined}
            aria-describedby={endpoints.length === 0 ? 'producer-needs' : undefined}
            onClick={() => endpoints.length > 0 && setOpen({ what: 'form' })}
          >
            {t('producer.create')}
          </Button>
        )}
        {producers && endpoints.length === 0 && (
          <p id="producer-needs" className="text-xs text-muted">
            {t('producer.needsEndpoint')}
          </p>
        )}
      </div>
      {open?.what === 'form' && (
        <ProducerDialog
          producer={open.producer}
          endpoints={endpoints}
          onSaved={(token) => setOpen(token ? { what: 'token', token } : undefined)}
          onClose={close}
        />
      )}
      {open?.what === 'token' && <SecretDialog kind="token" secret={open.token} onClose={close} />}
      {open?.what === 'rotate' && (
        <ConfirmDialog
          title={t('producer.rotateQuestion', { name: open.producer.name })}
          text={t('producer.rotateText')}
          confirm={t('producer.rotate')}
          busy={t('endpoint.rotating')}
          onConfirm={() => rotateOf(open.producer)}
          onClose={closeQuestion}
        />
      )}
      {open?.what === 'delete' && (
        <ConfirmDialog
          danger
          title={t('endpoint.deleteQuestion', { name: open.producer.name })}
          text={t('producer.deleteText')}
          confirm={t('endpoint.delete')}
          busy={t('endpoint.deleting')}
          onConfirm={() => removeOf(open.producer)}
          onClose={close}
        />
      )}
    </Panel>
  );
}

interface ProducerDialogProps {
  producer: Producer | undefined;
  endpoints: readonly Endpoint[];
  /** Receives the token of a new producer. */
  onSaved: (token: string | null | undefined) => void;
  onClose: () => void;
}

interface Values {
  name: string;
  endpointId: string;
  isActive: boolean;
}

const FIELDS = ['name', 'endpointId', 'isActive'] as const;
const NAME_LENGTH = 40;

/** Creates or edits a producer: its name and the endpoint that resends go to. */
function ProducerDialog({ producer, endpoints, onSaved, onClose }: ProducerDialogProps) {
  const { t } = useTranslation(['dead-letters', 'common']);
  const [, execute] = useMutation(saveProducerMutation);
  const [failure, setFailure] = useState<AppError>();
  const form = useForm<Values>({
    defaultValues: {
      name: producer?.name ?? '',
      endpointId: producer?.endpointId ?? (endpoints.length === 1 ? endpoints[0]?.id : undefined) ?? '',
      isActive: producer?.isActive ?? true,
    },
  });
  const { register, setError } = form;
  const { errors } = form.formState;
  const labels = {
    name: t('fields.name'),
    endpointId: t('producer.resendsTo'),
    isActive: t('fields.isActive'),
  };

  async function save(values: Values) {
    setFailure(undefined);
    const own = producer && { id: producer.id, version: producer.version };
    const { data, error } = await execute({ input: { ...own, ...values } }, context);
    if (data) {
      const { name, token } = data.saveDeadLetterProducer;
      toast.success(t('endpoint.saved', { name }));
      onSaved(token);
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors(failed, FIELDS, setError);
  }

  return (
    <FormDialog
      title={producer ? t('endpoint.editTitle', { name: producer.name }) : t('producer.create')}
      form={form}
      labels={labels}
      submit={producer ? t('save', { ns: 'common' }) : t('producer.create')}
      busy={t('endpoint.saving')}
      failure={failure}
      onSubmit={save}
      onClose={onClose}
    >
      {!producer && (
        <TextField
          {...register('name', { required: true, validate: atMost(NAME_LENGTH), pattern: /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/ })}
          autoComplete="off"
          label={labels.name}
          hint={t('producer.nameHint')}
          error={errors.name}
        />
      )}
      <SelectField
        {...register('endpointId', { required: true })}
        label={labels.endpointId}
        hint={t('producer.resendsToHint')}
        placeholder={t('producer.choose')}
        error={errors.endpointId}
      >
        {endpoints.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </SelectField>
      <CheckboxField
        {...register('isActive')}
        isSwitch
        label={labels.isActive}
        hint={t('producer.activeHint')}
      />
    </FormDialog>
  );
}

interface SecretDialogProps {
  /** The secret of an endpoint, or the token of a producer. */
  kind?: 'secret' | 'token';
  secret: string;
  onClose: () => void;
}

/** Shows a secret once; it cannot be read again later. */
export function SecretDialog({ kind = 'secret', secret, onClose }: SecretDialogProps) {
  const { t } = useTranslation(['dead-letters', 'common']);
  return (
    <Dialog open onOpenChange={onClose}>
      <DialogContent
        title={t(`${kind}.title`)}
        description={t(`${kind}.text`)}
        width={560}
        staysOpen
        footer={<Button onClick={onClose}>{t('close', { ns: 'common' })}</Button>}
      >
        <CopyField label={t(`${kind}.label`)} text={secret} />
      </DialogContent>
    </Dialog>
  );
}
