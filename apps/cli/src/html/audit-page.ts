// Builds the page of an audit: one HTML file that loads and runs nothing, to keep or to share. Titles of sessions and
// whole paths are in it only with `titles`.

import type { Advice, Audit, AuditCall, AuditSession } from '@tidemark/analytics';

import { dollars, formatCount, percent } from '../frame/numbers.ts';
import { agentName, notesOfAudit } from '../reports/audit-report.ts';
import { adviceSection } from './audit-advice.ts';
import { CAUSE_GROUPS, COLOUR_STYLE, PATTERNS } from './audit-colours.ts';
import { costByGroup, daysSection } from './audit-days.ts';
import { lossesOf, stripsOf } from './audit-strip.ts';
import { causesSection, groupsSection, minuteOf, PAGE_ROWS, projectName, sessionsSection } from './audit-tables.ts';
import type { Markup } from './markup.ts';
import { markup, NOTHING } from './markup.ts';
import { PAGE_END, pageHead } from './page.ts';

/** Contents of the page besides the audit. */
export interface AuditPageParts {
  /** Returns the calls of a session, in order of time. */
  readonly callsOf: (session: AuditSession) => readonly AuditCall[];
  readonly advice: readonly Advice[];
  /** Shows titles of sessions and whole paths. */
  readonly titles: boolean;
}

/** Returns the page of an audit as HTML. */
export function auditPage(found: Audit, parts: AuditPageParts): string {
  const head = markup`${pageHead('Cost of coding agents', COLOUR_STYLE + STYLE)}${PATTERNS}
    <header>
      <h1>Cost of coding agents</h1>
      <p class="soft">${subtitle(found, parts.titles)}</p>
    </header> `;
  const drawn = found.sessions.filter(({ difference }) => Number(difference) > 0).slice(0, PAGE_ROWS.drawn);
  const body =
    found.sums.calls === 0
      ? markup`<p>No calls were found since ${found.since.slice(0, 10)}.</p>`
      : markup`${headline(found)}${daysSection(found)}${causesSection(found)}${adviceSection(parts.advice)}
        ${sessionsSection(found, drawn.length, parts.titles)}${drawings(drawn, found, parts)}
        ${groupsSection(found, parts.titles)}`;
  return markup`${head}<main>${body}</main>${notesSection(found, parts.titles)}${PAGE_END}\n`.html;
}

function subtitle({ sums, agents, span, since, project }: Audit, titles: boolean): string {
  const where = project === undefined ? '' : ` in ${projectName(project, titles)}`;
  if (span === undefined) return `since ${since.slice(0, 10)}${where}`;
  const names = agents.map(({ name }) => agentName(name)).join(', ');
  const [from, to] = [span.from.slice(0, 10), span.to.slice(0, 10)];
  const when = from === to ? from : `${from} to ${to}`;
  return `${formatCount(sums.sessions, 'session')} and ${formatCount(sums.calls, 'call')} of ${names}${where}, ${when} (UTC)`;
}

function headline({ sums, causes }: Audit): Markup {
  const { paid, hadToCost, difference, read, input } = sums;
  const share = percent(Number(difference), Number(paid));
  const figures = [
    ['paid', dollars(paid), 'at the list price per token'],
    ['had to cost', dollars(hadToCost), 'if every token sent before had been read from the cache'],
    ['difference', dollars(difference), `${share} of the paid cost`],
    ['read', percent(read, input), 'of the input tokens came from the cache'],
  ];
  const byGroup = costByGroup(causes);
  let x = 0;
  const part = (name: string, amount: string): string => {
    const width = (100 * Number(amount)) / Number(paid);
    if (!(width > 0)) return '';
    x += width;
    return `<rect class="${name}" x="${(x - width).toFixed(3)}%" width="${width.toFixed(3)}%" height="100%"/>`;
  };
  const bar =
    part('needed', hadToCost) + CAUSE_GROUPS.map(({ colour }) => part(colour, byGroup.get(colour) ?? '0')).join('');
  return markup`<dl class="figures">
      ${figures.map(
        ([name = '', figure = '', meaning = '']) => markup`<div>
          <dt>${name}</dt>
          <dd><b>${figure}</b> <span class="soft">${meaning}</span></dd>
        </div> `,
      )}
    </dl>
    <svg class="whole" width="100%" height="1.2em" aria-hidden="true">${{ html: bar }}</svg> `;
}

function drawings(sessions: readonly AuditSession[], { since }: Audit, parts: AuditPageParts): Markup {
  if (sessions.length === 0) return NOTHING;
  const title =
    sessions.length === 1
      ? 'Calls of the session with the largest difference'
      : `Calls of the ${sessions.length} sessions with the largest difference`;
  return markup`<h2 id="calls">${title}</h2>
    <p class="soft">Each bar is one call, in the order of time. Its height is the number of input tokens. A mark below a bar names the cause of tokens that were paid again.</p>
    ${sessions.map((session, index) => {
      const calls = parts.callsOf(session).filter(({ at }) => at >= since);
      return markup`<details class="session" id="s${index + 1}"${index === 0 ? { html: ' open' } : ''}>
        <summary>${sessionSummary(session, parts.titles)}</summary>
        ${stripsOf(calls)}${lossesOf(calls)}
      </details> `;
    })}`;
}

function sessionSummary(session: AuditSession, titles: boolean): Markup {
  const { agent, project, title, from, calls, paid, difference } = session;
  const named = titles && title !== undefined ? markup`<span dir="auto">${title}</span> · ` : NOTHING;
  return markup`<b>${minuteOf(from)}</b> · ${agentName(agent)} · <span dir="auto">${projectName(project, titles)}</span> ·
    ${named}${formatCount(calls, 'call')} · paid ${dollars(paid)} · difference <b>${dollars(difference)}</b>`;
}

/** Renders the notes. Without `titles` a skipped file is only counted, because its path and the reason can quote text. */
function notesSection(found: Audit, titles: boolean): Markup {
  const { problems } = found;
  const skipped =
    problems.length === 0 || titles
      ? []
      : [`${formatCount(problems.length, 'transcript')} could not be read; \`tidemark audit\` names them`];
  const notes = [...notesOfAudit(titles ? found : { ...found, problems: [] }), ...skipped];
  const privacy = titles
    ? 'The page contains titles of sessions, which are the beginnings of prompts, and whole paths. It contains no other text of the sessions.'
    : 'The page contains no text of the sessions and no whole paths. It contains names of agents, models and projects, times, counts, costs and ids of sessions.';
  return markup`<footer>
    <h2 id="notes">Notes</h2>
    <ul>
      ${notes.map((note) => markup`<li>${note}</li>`)}
      <li>Costs are list prices per token. A subscription is billed in another way.</li>
      <li>${privacy}</li>
    </ul>
  </footer> `;
}

const STYLE = `
body { max-width: 66rem; }
.figures { display: grid; grid-template-columns: repeat(2, 1fr); gap: .75rem; margin: 1.25rem 0 .75rem; }
.figures div { padding: .6rem .8rem; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
.figures dt { color: var(--soft); font-size: .85rem; } .figures dd { margin: 0; line-height: 1.35; }
.figures b { display: block; font-size: 1.5rem; font-variant-numeric: tabular-nums; }
svg { display: block; overflow: visible; } svg.swatch { display: inline-block; } .whole { border-radius: 3px; overflow: hidden; }
rect { stroke: none; } .hover { fill: transparent; } g:hover > .hover { fill: var(--line); }
.grid { stroke: var(--line); } .axis { stroke: var(--soft); } .rest { stroke: var(--ink); stroke-dasharray: 3 2; }
.chart { position: relative; padding-left: 3.6rem; margin-top: 1rem; }
.marks { position: absolute; left: 0; top: 0; width: 3.2rem; height: 14em; font-size: 1rem; }
.marks span { position: absolute; right: 0; transform: translateY(50%); color: var(--soft); font-size: .8rem; }
.chart text { font-size: .8rem; fill: var(--soft); }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1.1rem; margin: .5rem 0; padding: 0; list-style: none; font-size: .87rem; }
.legend li { display: flex; align-items: center; }
.dash { height: 1em; border-left: 1px dashed var(--ink); margin: 0 .7em 0 .3em; }
.strip { display: grid; grid-template-columns: 6.7em minmax(0, 1fr); margin: .75rem 0; }
.strip svg { shape-rendering: crispEdges; } .strip p { grid-column: 2; margin: .1rem 0 0; }
.lanes { color: var(--soft); } .lanes div { height: 1.3em; line-height: 1.3em; white-space: nowrap; }
.lanes div:first-child { height: 7em; } .lanes span { font-size: .8em; }
details.session { margin: .6rem 0; padding: .5rem .8rem; border: 1px solid var(--line); border-radius: 6px; }
details.session > :not(summary) { margin-left: 0; }
.scroll { margin: .5rem 0; } tbody th { font-weight: 400; } td:last-child, th:last-child { text-align: right; white-space: nowrap; min-width: 0; }
td.name, th.name { text-align: left; } td.long, th.long, td.meaning { white-space: normal; overflow-wrap: anywhere; min-width: 9rem; }
td.meaning { min-width: 14rem; }
caption { text-align: left; color: var(--soft); padding-bottom: .2rem; }
td code { font: .8rem ui-monospace, monospace; color: var(--soft); overflow-wrap: anywhere; }
footer ul { padding-left: 1.2rem; font-size: .9rem; }
@media (max-width: 40rem) { .strip { font-size: .8rem; } }
@media print { body { max-width: none; padding: 0; } details:not([open])::details-content { content-visibility: visible; display: block; }
  .strip, .figures, .chart, tr { break-inside: avoid; } .scroll { overflow: visible; } table { font-size: .66rem; }
  th, td { padding: .2rem .35rem; } td code { font-size: .6rem; } td.long, th.long { min-width: 5rem; } }
@media (min-width: 38rem) { .figures { grid-template-columns: repeat(4, 1fr); } }
`;
