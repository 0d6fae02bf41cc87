import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useClient } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { errorText, normalizeError } from '@/data/errors';
import { putFile } from '@/data/put-file';
import { LINK_FAILED, requestLogoUploadLink, WebActionError } from '@/data/web-actions';
import { type Conflict, useConflict } from '@/form/use-save';
import { type LogoInformation, LOGO_SETTING_ID, writeLogo } from '@/domain/logo-value';
import { toast } from '@/ui/toast';
import { logoVersionQuery, mutatePresignedUrlMutation, updateLogoMutation } from './queries';

const LOGO_STEPS = ['link', 'upload', 'presign', 'save'] as const;
export type LogoStep = (typeof LOGO_STEPS)[number];

// Fixed by the specification, so not translated.
const STEP_FAILED: Record<LogoStep, string> = {
  link: LINK_FAILED,
  upload: 'logo upload failed',
  presign: 'Failed to request presigned url',
  save: 'Failed to update logo',
};

export interface LogoProgress {
  /** The steps of this save; uploading only happens with a new file. */
  steps: readonly LogoStep[];
  step: LogoStep;
  /** Fraction uploaded, from 0 to 1. */
  share: number;
}

export interface LogoFailure {
  message: string;
  /** The cause, if there is a text for it. */
  detail?: string | undefined;
}

/** Saves the logo. With a new file that takes four steps, each with its own error message. */
export function useSaveLogo(onSaved: (saved: { logo: LogoInformation; version: number }) => void) {
  const { t } = useTranslation('logo');
  const client = useClient();
  const { getToken } = useAuth();
  const findConflict = useConflict(logoVersionQuery);
  const [progress, setProgress] = useState<LogoProgress>();
  const [failure, setFailure] = useState<LogoFailure>();
  const [conflict, setConflict] = useState<Conflict>();
  const running = useRef<AbortController>(undefined);

  useEffect(() => () => running.current?.abort(), []);

  function forget() {
    setFailure(undefined);
    setConflict(undefined);
  }

  async function presign(url: string): Promise<string> {
    const { data, error } = await client.mutation(mutatePresignedUrlMutation, { url }).toPromise();
    if (data) return data.mutatePresignedUrl.presignedUrl;
    throw error ?? new Error();
  }

  async function save(logo: LogoInformation, file: File | null, version: number) {
    forget();
    const { signal } = (running.current = new AbortController());
    const steps = file ? LOGO_STEPS : LOGO_STEPS.slice(-1);
    let step: LogoStep = steps[0] ?? 'save';
    const begin = (next: LogoStep, share = 0) => {
      signal.throwIfAborted();
      step = next;
      setProgress({ steps, step, share });
    };
    try {
      let next = logo;
      if (file) {
        begin('link');
        const link = await requestLogoUploadLink(file.name, { getToken, signal });
        begin('upload');
        const { data } = await putFile(link, file, {
          signal,
          onProgress: (share) => begin('upload', share),
        });
        begin('presign');
        next = { ...logo, url: await presign(data.url), urlObject: data.url };
      }
      begin('save');
      const input = { id: LOGO_SETTING_ID, value: writeLogo(next), version };
      const { data, error } = await client.mutation(updateLogoMutation, { input }).toPromise();
      if (!data) throw error ?? new Error();
      toast.success(t('done'));
      onSaved({ logo: next, version: data.updateSettingValue.version });
    } catch (error) {
      if (signal.aborted) return;
      const failed = normalizeError(error);
      const message = STEP_FAILED[step];
      toast.error(message);
      if (step === 'save') {
        const found = await findConflict(failed, { id: LOGO_SETTING_ID }, version);
        setConflict(found);
        if (found) return;
      }
      const detail = error instanceof WebActionError ? error.detail : errorText(failed);
      setFailure({ message, detail: detail === message ? undefined : detail });
    } finally {
      if (running.current?.signal === signal) setProgress(undefined);
    }
  }

  return { progress, failure, conflict, save, forget, cancel: () => running.current?.abort() };
}
