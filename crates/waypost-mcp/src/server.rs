//! The server: the protocol's requests, handed to tools, resources and prompts.
//!
//! Use cases read files and may run git, so they run on threads that may block; the protocol's own
//! thread stays free for pings and cancellations.

use std::sync::{Arc, OnceLock};

use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CompleteRequestParams, CompleteResult, CustomRequest,
    CustomResult, ErrorCode, ErrorData, GetPromptRequestParams, GetPromptResponse, Implementation,
    ListPromptsResult, ListResourceTemplatesResult, ListResourcesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, RequestMetaObject,
    ServerCapabilities, ServerConfig, SubscribeRequestParams, SubscriptionFilter,
    UnsubscribeRequestParams,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use waypost_app::error::AppError;
use waypost_app::machine::host::Host;
use waypost_core::id::ConversationId;
use waypost_core::next_step::{Look, does};
use waypost_core::text::{one_line, shortened};

use crate::call::Progress;
use crate::kept::Kept;
use crate::resources::{self, Uri};
use crate::tool::{Effect, Entry};
use crate::watch::{self, Subscribed, Watch};
use crate::{Offer, completion, instructions, outcome, prompts, tools};

/// For how long clients may keep the lists: they stay the same while a server runs.
const LIST_TTL_MS: u64 = 3_600_000;

type Context = RequestContext<RoleServer>;

fn info() -> Implementation {
    Implementation::new("waypost", env!("CARGO_PKG_VERSION")).with_title("Waypost")
}

/// One client's server.
#[derive(Clone)]
pub(crate) struct Server {
    host: Arc<Host>,
    offer: Arc<Offer>,
    watch: Arc<Watch>,
    subscribed: Arc<Subscribed>,
    kept: Arc<Kept>,
}

impl Server {
    /// A server for one client. What it tells of changes is seen for all at once.
    pub(crate) fn new(host: Arc<Host>, offer: Arc<Offer>, watch: Arc<Watch>) -> Self {
        Self { host, offer, watch, subscribed: Arc::default(), kept: Arc::default() }
    }

    fn tools(&self) -> impl Iterator<Item = &'static Entry> {
        let offers = |entry: &&Entry| self.offer.toolsets.contains(entry.toolset);
        tools::ALL.iter().filter(move |entry| !self.offer.nothing && offers(entry))
    }

    /// The same as clients are told about them. That is made once: it takes longer than most calls.
    fn described(&self) -> impl Iterator<Item = &'static rmcp::model::Tool> {
        static DESCRIBED: OnceLock<Vec<rmcp::model::Tool>> = OnceLock::new();
        let all =
            DESCRIBED.get_or_init(|| tools::ALL.iter().map(|entry| (entry.describe)()).collect());
        all.iter().filter(|tool| self.tools().any(|entry| entry.name == tool.name))
    }

    /// The client's own name for a call, by which its hooks know it too.
    fn call_name(&self, meta: &RequestMetaObject) -> Option<String> {
        let mut keys = self.host.harnesses.iter().filter_map(|local| local.facts().call_key);
        let named = keys.find_map(|key| meta.get(key))?.as_str()?;
        Some(shortened(named, 256))
    }

    /// The conversation that a call comes from, where the client names it and it is not the one that is known already.
    fn conversation(&self, meta: &RequestMetaObject) -> Option<(String, ConversationId)> {
        let named = self.host.harnesses.iter().find_map(|local| {
            let facts = local.facts();
            let id = meta.get(facts.conversation_key?)?.as_str()?.parse().ok()?;
            Some((facts.name.to_owned(), id))
        })?;
        Some(named).filter(|named| self.host.conversation.as_ref() != Some(named))
    }

    /// Runs what blocks where it may.
    async fn blocking<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Host) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let host = Arc::clone(&self.host);
        let done = tokio::task::spawn_blocking(move || work(&host)).await;
        done.map_err(|_| ErrorData::internal_error("the call ended in a fault of Waypost", None))
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        if self.offer.nothing {
            return ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
                .with_server_info(info())
                .with_instructions(instructions::NOTHING);
        }
        let capabilities = ServerCapabilities::builder()
            .enable_tools()
            .enable_resources()
            .enable_resources_subscribe()
            .enable_prompts()
            .enable_completions();
        #[cfg(feature = "conformance")]
        #[expect(deprecated, reason = "the older revision's scenarios still ask for logs")]
        let capabilities = capabilities.enable_logging();
        ServerConfig::new(capabilities.build())
            .with_server_info(info())
            .with_instructions(instructions::TEXT)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListToolsResult, ErrorData> {
        let mut result = ListToolsResult::with_all_items(self.described().cloned().collect());
        #[cfg(feature = "conformance")]
        result.tools.extend(crate::fixtures::tools(&self.offer));
        result.ttl_ms = Some(LIST_TTL_MS);
        Ok(result)
    }

    /// By this the transport knows which arguments a client also has to send as headers.
    fn get_tool(&self, name: &str) -> Option<rmcp::model::Tool> {
        #[cfg(feature = "conformance")]
        if let Some(tool) =
            crate::fixtures::tools(&self.offer).into_iter().find(|tool| tool.name == name)
        {
            return Some(tool);
        }
        self.described().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: Context,
    ) -> Result<CallToolResponse, ErrorData> {
        let found = self.tools().find(|entry| entry.name == request.name);
        let Some(entry) = found else {
            #[cfg(feature = "conformance")]
            if self.offer.fixtures {
                return crate::fixtures::call(request, context).await;
            }
            let name = shortened(&one_line(&request.name), 80);
            return Err(ErrorData::invalid_params(format!("there is no tool {name}"), None));
        };
        let name = self.call_name(&context.meta);
        let progress = Progress::new(context.peer, context.meta.get_progress_token(), name);
        let given = request.arguments.unwrap_or_default();
        let caller = self.conversation(&context.meta);
        // What is kept is what the conversation was told that started the server.
        let known = || self.kept.get(&self.host, entry.name, &given);
        if let Some(known) = caller.is_none().then(known).flatten() {
            return Ok(known.into());
        }
        let kept = Arc::clone(&self.kept);
        let run = move |host: &Host| {
            if caller.is_some() {
                let host = Host { conversation: caller, ..host.clone() };
                return (entry.run)(&host, given, &progress);
            }
            let ask = |given| (entry.run)(host, given, &progress);
            match entry.effect {
                Effect::Reads => kept.ask(entry.name, given, ask),
                Effect::Adds | Effect::Sets | Effect::Takes => ask(given),
            }
        };
        let result = self.blocking(run).await;
        // A fault of ours is told like a refusal: clients show nothing of a protocol error.
        let result = result.unwrap_or_else(|fault| {
            let error = AppError::integrity(fault.message.into_owned());
            let error = error.hint(does(Look::Installation, "looks at what it works with"));
            outcome::refusal(&self.host, &error)
        });
        Ok(result.into())
    }

    /// A call whose parameters the library could not take apart comes here, as if it were something
    /// that it does not know: a tool that is there answers it all the same.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _context: Context,
    ) -> Result<CustomResult, ErrorData> {
        if request.method != "tools/call" {
            return Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, request.method, None));
        }
        let named = request.params.as_ref().and_then(|params| params["name"].as_str());
        if !named.is_some_and(|name| self.tools().any(|entry| entry.name == name)) {
            return Err(ErrorData::invalid_params("there is no such tool", None));
        }
        let error = AppError::configuration("`arguments` has to be an object")
            .hint("call it again with the arguments that its input schema describes");
        let answer = serde_json::to_value(outcome::refusal(&self.host, &error)).unwrap_or_default();
        Ok(CustomResult::new(answer))
    }

    async fn list_resources(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListResourcesResult, ErrorData> {
        let mut result = ListResourcesResult::with_all_items(resources::list());
        #[cfg(feature = "conformance")]
        result.resources.extend(crate::fixtures::resources(&self.offer));
        result.ttl_ms = Some(LIST_TTL_MS);
        Ok(result)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let mut result = ListResourceTemplatesResult::with_all_items(resources::templates());
        #[cfg(feature = "conformance")]
        result.resource_templates.extend(crate::fixtures::templates(&self.offer));
        result.ttl_ms = Some(LIST_TTL_MS);
        Ok(result)
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _context: Context,
    ) -> Result<ReadResourceResponse, ErrorData> {
        #[cfg(feature = "conformance")]
        if let Some(result) = crate::fixtures::read(&self.offer, &request.uri) {
            return Ok(result.into());
        }
        let read = self.blocking(move |host| resources::read(host, &request.uri)).await??;
        Ok(read.into())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: Context,
    ) -> Result<(), ErrorData> {
        if Uri::parse(&request.uri).is_none() && !self.is_fixture(&request.uri) {
            let message = format!("there is no resource {}", one_line(&request.uri));
            return Err(ErrorData::resource_not_found(message, None));
        }
        if !self.subscribed.add(&self.watch, context.peer, request.uri).await {
            let most = watch::MAX_URIS;
            let message = format!("{most} resources are subscribed to: unsubscribe from one");
            return Err(ErrorData::invalid_params(message, None));
        }
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: Context,
    ) -> Result<(), ErrorData> {
        self.subscribed.remove(&request.uri);
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = requested.supported_by(&self.get_info().capabilities);
        if let Some(uris) = &mut accepted.resource_subscriptions {
            uris.retain(|uri| Uri::parse(uri).is_some() || self.is_fixture(uri));
            uris.truncate(watch::MAX_URIS);
        }
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        watch::listen(&self.watch, context).await;
        Ok(())
    }

    async fn list_prompts(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: Context,
    ) -> Result<ListPromptsResult, ErrorData> {
        let mut result = ListPromptsResult::with_all_items(prompts::list());
        #[cfg(feature = "conformance")]
        result.prompts.extend(crate::fixtures::prompts(&self.offer));
        result.ttl_ms = Some(LIST_TTL_MS);
        Ok(result)
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _context: Context,
    ) -> Result<GetPromptResponse, ErrorData> {
        #[cfg(feature = "conformance")]
        if let Some(response) = crate::fixtures::prompt(&self.offer, &request) {
            return response;
        }
        let GetPromptRequestParams { name, arguments, .. } = request;
        let got = self.blocking(move |host| prompts::get(host, &name, arguments)).await??;
        Ok(got.into())
    }

    #[cfg(feature = "conformance")]
    #[expect(deprecated, reason = "the older revision's scenarios still ask for logs")]
    async fn set_level(
        &self,
        _request: rmcp::model::SetLevelRequestParams,
        _context: Context,
    ) -> Result<(), ErrorData> {
        Ok(())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        _context: Context,
    ) -> Result<CompleteResult, ErrorData> {
        let found = self.blocking(move |host| completion::complete(host, &request)).await?;
        Ok(CompleteResult::new(found))
    }
}

impl Server {
    #[cfg(feature = "conformance")]
    fn is_fixture(&self, uri: &str) -> bool {
        self.offer.fixtures && crate::fixtures::is_resource(uri)
    }

    #[cfg(not(feature = "conformance"))]
    #[expect(clippy::unused_self, reason = "with the conformance suite's fixtures it is used")]
    fn is_fixture(&self, _uri: &str) -> bool {
        false
    }
}
