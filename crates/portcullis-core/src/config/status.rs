//! What the status writer says about objects that Portcullis is responsible for.

use schemars::JsonSchema;
use serde::Deserialize;

use super::Spanned;

/// The `controllerName` of GatewayClasses that are Portcullis' own, unless the configuration names another one.
pub const CONTROLLER_NAME: &str = "portcullis.dev/controller";

/// The settings of the status writer and of `portcullis status`.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct StatusConfig {
    /// The controller of the GatewayClasses (`spec.controllerName`) and IngressClasses (`spec.controller`) whose objects get a status; the
    /// default is `portcullis.dev/controller`.
    ///
    /// ```yaml
    /// status: {controllerName: example.com/gateways}
    /// ```
    #[serde(default = "controller_name")]
    pub controller_name: Spanned<String>,
    /// `attested` states that a data plane serves what is accepted, so that `Programmed` may be `True`. Without it, no data plane reports
    /// to Portcullis, and `Programmed` is never `True`.
    ///
    /// ```yaml
    /// status: {dataPlane: attested}
    /// ```
    #[serde(default)]
    pub data_plane: Option<DataPlaneClaim>,
    /// The Services through which traffic enters; their addresses become those of Gateways and Ingresses.
    ///
    /// ```yaml
    /// status:
    ///   publishService: [{namespace: infra, name: proxy}]
    /// ```
    #[serde(default)]
    pub publish_service: Vec<PublishedService>,
    /// The features that GatewayClasses list under `dataPlane: attested`. If they contain `TLSRoute`, a listener of protocol `TLS` may
    /// terminate TLS only with `TLSRouteModeTerminate`, and share its port with the other mode only with `TLSRouteModeMixed`.
    ///
    /// ```yaml
    /// status:
    ///   dataPlane: attested
    ///   supportedFeatures: [HTTPRoutePathRedirect]
    /// ```
    #[serde(default)]
    pub supported_features: Vec<Spanned<String>>,
    /// The kinds of parameters (`spec.parametersRef`) that GatewayClasses may have; a class with others is not accepted. Whether the
    /// object exists is only known of ConfigMaps, in files or with `readConfigMaps`.
    ///
    /// ```yaml
    /// status: {parametersKinds: [{kind: ConfigMap}, {group: example.com, kind: EdgeSettings}]}
    /// ```
    #[serde(default)]
    pub parameters_kinds: Vec<ParametersKind>,
    /// Whether the controller reads the Secrets to which Gateways, listeners and BackendTLSPolicies refer, each by its name, so that their
    /// conditions say whether certificates can be used. It needs the rights of the component `gateway-status-secrets`.
    ///
    /// ```yaml
    /// status: {readSecrets: true}
    /// ```
    #[serde(default)]
    pub read_secrets: bool,
    /// Whether the controller reads the ConfigMaps to which Gateways, GatewayClasses and BackendTLSPolicies refer, each by its name. It
    /// needs the rights of the component `gateway-status-config-maps`.
    ///
    /// ```yaml
    /// status: {readConfigMaps: true}
    /// ```
    #[serde(default)]
    pub read_config_maps: bool,
    /// Whether GatewayClasses in use get the finalizer `gateway-exists-finalizer.gateway.networking.k8s.io`.
    ///
    /// ```yaml
    /// status: {gatewayClassFinalizer: true}
    /// ```
    #[serde(default)]
    pub gateway_class_finalizer: bool,
    /// Whether GatewayClasses also get the condition `InvalidParameters` of the concept document.
    ///
    /// ```yaml
    /// status: {documentConditions: true}
    /// ```
    #[serde(default)]
    pub document_conditions: bool,
    /// The classes of IngressRoutes that get a status (`""` means objects without a class); empty for every class.
    ///
    /// ```yaml
    /// status: {ingressRouteClasses: [public, ""]}
    /// ```
    #[serde(default)]
    pub ingress_route_classes: Vec<Spanned<String>>,
    /// Whether the status of IngressRoutes follows the printed samples of the design document to the letter. Every profile except
    /// `audit` then denies what only the document rejects: `ingress-route/strategy-conflict`.
    ///
    /// ```yaml
    /// status: {strictDocument: true}
    /// ```
    #[serde(default)]
    pub strict_document: bool,
}

impl Default for StatusConfig {
    fn default() -> Self {
        Self {
            controller_name: controller_name(),
            data_plane: None,
            publish_service: Vec::new(),
            supported_features: Vec::new(),
            parameters_kinds: Vec::new(),
            read_secrets: false,
            read_config_maps: false,
            gateway_class_finalizer: false,
            document_conditions: false,
            ingress_route_classes: Vec::new(),
            strict_document: false,
        }
    }
}

fn controller_name() -> Spanned<String> {
    Spanned::without_position(CONTROLLER_NAME.to_owned())
}

impl StatusConfig {
    /// Whether `controller` names Portcullis.
    pub fn is_own(&self, controller: &str) -> bool {
        *self.controller_name.value == *controller
    }

    /// Whether a data plane is stated to serve what is accepted.
    pub fn is_attested(&self) -> bool {
        self.data_plane == Some(DataPlaneClaim::Attested)
    }

    /// The TLS modes that the listed features allow. Features without `TLSRoute` say nothing about them.
    pub fn tls_modes(&self) -> TlsModes {
        let lists = |name: &str| self.supported_features.iter().any(|feature| feature.as_str() == name);
        let is_decided = self.is_attested() && lists("TLSRoute");
        TlsModes {
            terminate: !is_decided || lists("TLSRouteModeTerminate"),
            mixed: !is_decided || lists("TLSRouteModeMixed"),
        }
    }
}

/// The TLS modes that a controller supports for listeners of protocol `TLS`, beside `Passthrough`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TlsModes {
    /// Whether a listener may have the mode `Terminate`.
    pub terminate: bool,
    /// Whether listeners of both modes may share a port.
    pub mixed: bool,
}

/// What the platform states about the data plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub enum DataPlaneClaim {
    /// A data plane serves what is accepted.
    Attested,
}

/// A kind of parameters of GatewayClasses.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ParametersKind {
    /// The group of the kind; empty for the core group.
    ///
    /// ```yaml
    /// status: {parametersKinds: [{group: example.com, kind: EdgeSettings}]}
    /// ```
    #[serde(default = "core_group")]
    pub group: Spanned<String>,
    /// The kind.
    ///
    /// ```yaml
    /// status: {parametersKinds: [{kind: ConfigMap}]}
    /// ```
    pub kind: Spanned<String>,
}

fn core_group() -> Spanned<String> {
    Spanned::without_position(String::new())
}

/// A Service through which traffic enters.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PublishedService {
    /// The namespace.
    ///
    /// ```yaml
    /// status: {publishService: [{namespace: infra, name: proxy}]}
    /// ```
    pub namespace: Spanned<String>,
    /// The name.
    ///
    /// ```yaml
    /// status: {publishService: [{namespace: infra, name: proxy}]}
    /// ```
    pub name: Spanned<String>,
    /// From where the addresses of its load balancer can be reached: `Public`, `Private`, `Cluster` or `domain/name`; the default is
    /// `Public`. Its cluster IPs are always `Cluster`.
    ///
    /// ```yaml
    /// status: {publishService: [{namespace: infra, name: proxy, routability: Private}]}
    /// ```
    #[serde(default = "public")]
    pub routability: Spanned<String>,
}

fn public() -> Spanned<String> {
    Spanned::without_position("Public".to_owned())
}
