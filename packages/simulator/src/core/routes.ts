// Plays a scenario with routes: finds the first route that matches a call, and takes the next step of this route.

import type { ArrivalFacts, ReceivedRequest } from './received.ts';
import type { RoutedCall } from './route-match.ts';
import { whyNot } from './route-match.ts';
import { answerCheckpoint, isUnexpectedQuestion, playQueue } from './scenario.ts';
import type { Play, PlayedStep, Queue, RouteScenario, ScenarioRoute, Unplayed } from './scenario.ts';

interface OpenRoute {
  readonly route: ScenarioRoute;
  readonly name: string;
  readonly queue: Queue;
  /** Number of the calls that met all conditions except `routeCall`. */
  calls: number;
}

/** Starts a scenario with routes. A retry or a refused call also counts for `call` and `routeCall`. */
export function playRoutes(scenario: RouteScenario): Play {
  const routes = scenario.routes.map((route, index) => openRoute(route, index));
  let calls = 0;
  return {
    take(sent, facts) {
      calls += 1;
      const found = findRoute(routes, { ...facts, sent, call: calls });
      if ('reasons' in found) return takeUnmatched(scenario, sent, found.reasons);
      return takeFrom(scenario, found, sent, facts);
    },
    get unplayed() {
      return routes.flatMap(({ name, queue }) => queue.unplayed.map((place) => ({ route: name, ...place })));
    },
  };
}

function openRoute(route: ScenarioRoute, index: number): OpenRoute {
  const name = route.name ?? `route ${index + 1}`;
  const owner = route.name === undefined ? name : `route ${JSON.stringify(name)}`;
  return { route, name, queue: playQueue(route.steps, owner, route.repeat), calls: 0 };
}

function findRoute(
  routes: readonly OpenRoute[],
  routed: RoutedCall,
): OpenRoute | { readonly reasons: readonly string[] } {
  const reasons: string[] = [];
  for (const open of routes) {
    const reason = whyNotRoute(open, routed);
    if (reason === undefined) return open;
    reasons.push(`${open.name}: ${reason}`);
  }
  return { reasons };
}

function whyNotRoute(open: OpenRoute, routed: RoutedCall): string | undefined {
  const { match = {} } = open.route;
  const reason = whyNot(match, routed);
  if (reason !== undefined) return reason;
  open.calls += 1;
  const { routeCall } = match;
  if (routeCall === undefined || routeCall === open.calls) return undefined;
  return `routeCall is ${open.calls}, not ${routeCall}`;
}

function takeUnmatched(
  scenario: RouteScenario,
  sent: ReceivedRequest,
  reasons: readonly string[],
): PlayedStep | Unplayed {
  if (isUnexpectedQuestion(sent, undefined)) return answerCheckpoint(scenario);
  if (scenario.otherwise !== undefined) return { answer: scenario.otherwise };
  return { mismatch: `no route matches this call. ${reasons.join('; ')}` };
}

function takeFrom(
  scenario: RouteScenario,
  { route, name, queue }: OpenRoute,
  sent: ReceivedRequest,
  facts: ArrivalFacts,
): PlayedStep | Unplayed {
  const digest = facts.digest();
  const again = queue.again(digest);
  if (again !== undefined && route.repeat !== true) return { route: name, ...again };
  if (route.match?.prompt === undefined && isUnexpectedQuestion(sent, queue.next)) return answerCheckpoint(scenario);
  if (queue.next !== undefined) return { route: name, ...queue.take(sent, digest) };
  if (scenario.otherwise !== undefined) return { route: name, answer: scenario.otherwise };
  return { route: name, mismatch: `all ${route.steps.length} steps of ${name} are used, but another call matches it` };
}
